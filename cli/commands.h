#pragma once
/*
 * commands - the list of the program's commands. Each gets argv with its own name as argv[0] and
 * returns an exit code.
 */

/* Runs the command that argv[1] names, or prints the list. Returns an exit code. */
int commands_run(int argc, char **argv);

int command_proxy(int argc, char **argv);
int command_engine(int argc, char **argv);
int command_runs(int argc, char **argv);
int command_suites(int argc, char **argv);
int command_stress(int argc, char **argv);
int command_analyze(int argc, char **argv);
int command_baseline(int argc, char **argv);
int command_pairs(int argc, char **argv);
int command_report(int argc, char **argv);
int command_diff_report(int argc, char **argv);
int command_capture(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_ablate(int argc, char **argv);
int command_determinism(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_judge(int argc, char **argv);
int command_grade(int argc, char **argv);
int command_score(int argc, char **argv);
int command_probe(int argc, char **argv);
int command_manifest(int argc, char **argv);
int command_import(int argc, char **argv);
int command_repro(int argc, char **argv);
