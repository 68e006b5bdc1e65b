from rankmax.evaluation.agreement import judge_agreement as judge_agreement
from rankmax.evaluation.agreement import krippendorff_alpha as krippendorff_alpha
from rankmax.evaluation.bootstrap import bootstrap_interval as bootstrap_interval
from rankmax.evaluation.click_estimates import click_gains as click_gains
from rankmax.evaluation.significance import holm as holm
from rankmax.evaluation.significance import randomization_test as randomization_test
from rankmax.evaluation.significance import t_test as t_test
from rankmax.evaluation.significance import wilcoxon_test as wilcoxon_test
