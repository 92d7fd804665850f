"""Every query of the dashboard uses metrics and labels that the proxy has."""
import json
import pathlib
import re

from harness import chat, post

DASHBOARD = pathlib.Path(__file__).parents[2] / "packaging" / "grafana" / "plumbline.json"
PATH = "/v1/chat/completions"


def test_each_query_names_metrics_and_labels_of_the_proxy(start):
    proxy = start.proxy(start.engine().url, reference=start.engine().url)
    assert post(proxy.port, PATH, chat(max_tokens=2))[0] == 200
    proxy.settled(1)
    page = proxy.admin("/metrics")
    there = set(re.findall(r"^# TYPE (\S+)", page, re.M)) | set(re.findall(r"^(plumbline_\w+)", page, re.M))
    labels = set(re.findall(r'(\w+)="', page)) | {"job", "instance"}
    document = json.loads(DASHBOARD.read_text())
    ids = [p["id"] for p in document["panels"]]
    assert len(ids) == len(set(ids)) > 10
    places = set()
    for panel in document["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & places and at["x"] + at["w"] <= 24
        places |= cells
        for target in panel["targets"]:
            names = re.findall(r"plumbline_\w+", target["expr"])
            assert names and set(names) <= there, target["expr"]
            asked = set(re.findall(r"by \(([^)]*)\)", target["expr"])) | set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
            assert {a.strip() for one in asked for a in one.split(",")} <= labels | {"cause", "reason"}
