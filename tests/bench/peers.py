"""Helpers of the benchmarks: fast configurations of nginx and HAProxy, and the CPU time and memory of a process."""
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def see_to_packages():
    """Install the peers and the packages for a build, or exit with the names of missing ones."""
    subprocess.run(["sh", ROOT / "tests/tools/packages", "bench"], check=True)


def release(build, *targets):
    """Build these targets (default: plumbline) as a release in the directory `build`; return its path."""
    build = (ROOT / build).resolve()
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", build, ROOT, "--buildtype=release"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, *(targets or ["plumbline"])], check=True, stdout=subprocess.DEVNULL)
    return build


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait(port, log):
    """Wait until a process listens on the port. After 20 s exit with the end of the log."""
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {port}:\n" + pathlib.Path(log).read_text()[-2000:])


def nginx(work, engine, port):
    """Return the command of a single nginx worker that does not buffer."""
    conf = work / f"nginx-{port}.conf"
    conf.write_text(f"""
worker_processes 1; daemon off; master_process off; pid {work}/nginx-{port}.pid; error_log {work}/nginx-error.log; worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
  access_log off; client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f; uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
  keepalive_requests 100000000; keepalive_timeout 600s; tcp_nodelay on;
  upstream engine {{ server 127.0.0.1:{engine}; keepalive 2048; keepalive_requests 100000000; }}
  server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ proxy_pass http://engine; proxy_http_version 1.1; proxy_set_header Connection "";
    proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 600s; }} }}
}}""")
    return [shutil.which("nginx") or "/usr/sbin/nginx", "-c", conf, "-p", work]


def haproxy(work, engine, port):
    conf = work / f"haproxy-{port}.cfg"
    conf.write_text(f"""
global
  nbthread 1
  maxconn 8000
defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
  option http-no-delay
frontend f
  bind 127.0.0.1:{port} backlog 4096
  default_backend e
backend e
  http-reuse always
  server e 127.0.0.1:{engine}
""")
    return [shutil.which("haproxy") or "/usr/sbin/haproxy", "-f", conf, "-db"]


def spent(pid):
    """Return {thread id: seconds of CPU time}."""
    return {int(task.name): int((task / "schedstat").read_text().split()[0]) / 1e9 for task in pathlib.Path(f"/proc/{pid}/task").iterdir()}


def resident(pid):
    """Return the process's own memory (RssAnon) in KiB."""
    return next(int(line.split()[1]) for line in open(f"/proc/{pid}/status") if line.startswith("RssAnon"))


def middle(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def show(figure, form="{:.2f}"):
    return f"{form} ({form}..{form})".format(figure["median"], figure["min"], figure["max"]) if figure else ""
