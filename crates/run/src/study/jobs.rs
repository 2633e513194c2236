//! What schedulers need of a study: the list of its runs as files for Slurm, Snakemake and GNU parallel.

use super::StudyRun;

/// The files by name. All of them call `riprap run` in the folder of the study, which any scheduler may repeat.
pub fn files<'a>(runs: impl Iterator<Item = &'a StudyRun>) -> [(&'static str, String); 4] {
    let names: Vec<&str> = runs.map(|run| run.name.as_str()).collect();
    let list = names.join("\n") + "\n";
    let lines: String = names.iter().map(|name| format!("riprap run '{name}'\n")).collect();
    let slurm = SLURM.replace("COUNT", &names.len().to_string());
    [("runs.txt", list), ("parallel.txt", lines), ("slurm.sh", slurm), ("Snakefile", SNAKEFILE.to_owned())]
}

/// A job that is out of time asks for another turn.
const SLURM: &str = r#"#!/bin/bash
# In this folder: sbatch slurm.sh. Each task is a run, which goes on where it was if it is repeated.
#SBATCH --array=1-COUNT
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
riprap run "$(sed -n "${SLURM_ARRAY_TASK_ID}p" runs.txt)" --max-wall 55min --quiet
code=$?
if [ $code -eq 75 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit $code
"#;

const SNAKEFILE: &str = r#"# In this folder: snakemake --cores all
RUNS = open("runs.txt").read().split("\n")[:-1]

rule all:
    input: expand("{run}/completed", run=RUNS)

rule run:
    output: "{run}/completed"
    threads: 1
    shell: "riprap run '{wildcards.run}' --threads {threads} --quiet"
"#;
