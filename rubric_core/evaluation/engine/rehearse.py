"""Derives the plan of a run: the executor does its work with ports that write down and do nothing.

No list says which settings act. Cases that differ in nothing but texts are rehearsed once: see `rehearsal_keys`.
"""

import logging
from collections.abc import AsyncIterator, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.cases.generators import generate_cases
from rubric_core.evaluation.cases.loaded_suite import LoadedSuite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.evaluation.cases.target_choice import shared_targets, target_name
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.attempt import Attempt, graders_of, requested_fields
from rubric_core.evaluation.engine.events import ignore_event
from rubric_core.evaluation.engine.extensions import extensions_written
from rubric_core.evaluation.engine.family_runner import runner_of
from rubric_core.evaluation.engine.prepare import require_valid
from rubric_core.evaluation.engine.program_starts import ProgramStarts, is_rubrics_own, sent_request
from rubric_core.evaluation.engine.rehearsal_keys import RehearsalKeys
from rubric_core.evaluation.engine.rehearsal_ports import (
    Masks,
    Recorder,
    Reply,
    known_secrets,
    rehearsal_ports,
    workspace_path,
)
from rubric_core.evaluation.engine.rehearsed_provider import NoLimits, rehearsed_providers
from rubric_core.evaluation.engine.secret_variables import secret_variables
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.evaluation.model.holes import hole, hole_names, shown
from rubric_core.evaluation.model.inputs import PromptInputs
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.plan_entries import ANY_HOST, Read, Send, Variable, without_secrets
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.model.template_filters import FilterNeeded
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.model.variables import Variables, peek
from rubric_core.evaluation.templating.custom_filters import CustomFilters
from rubric_core.evaluation.workspaces.plan import plan_of
from rubric_core.evaluation.workspaces.programs import VARIABLE, clone, require, run_hook
from rubric_core.evaluation.workspaces.workspace import CaseWorkspace
from rubric_core.language.evaluators import CodeEvaluator, Preprocessor
from rubric_core.language.shape import children
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Answer, AnswerFile, ChatMessage, Ports, ProviderError, Request
from rubric_core.trust import real_path

__all__ = ["rehearsed", "rehearsed_generators"]

_SUCCESSES: tuple[Reply, ...] = ("data", "text")


async def rehearsed(cases: Iterable[Runnable], ports: Ports) -> Plan:
    """The plan of running these cases: what they start and send. Reads files, and acts in no other way."""
    rehearsal = _Rehearsal(ports)
    try:
        for case in cases:
            for each in variations(case):
                await rehearsal.add(each)
    except Exception as error:
        # What a mistake of ours leaves out is not known, so nothing of this plan may run.
        logging.getLogger(__name__).debug("while planning a run", exc_info=True)
        rehearsal.unknown = f"what this run would do is not known ({type(error).__name__}: {error}); please report this"
    return rehearsal.plan()


async def rehearsed_generators(suite: LoadedSuite, ports: Ports) -> Plan:
    """The plan of the programs that make cases of a suite. What such cases do is known when they are made."""
    rehearsal = _Rehearsal(ports)
    await rehearsal.generate(suite)
    return rehearsal.plan()


class _Rehearsal:
    """The rehearsal of one plan."""

    def __init__(self, ports: Ports) -> None:
        self.unknown = ""
        self._ports = ports
        self._keys = RehearsalKeys(ports.files)
        self._notes: dict[str, None] = {}
        self._facts: dict[tuple[SuiteFacts, frozenset[str]], SuiteFacts] = {}
        #: Requests whose host the variables of a case name, by what such cases do.
        self._open_hosts: dict[Hashable, list[Send]] = {}
        self._known: set[SuiteFacts] = set()
        #: The variables that targets name under keys of secrets.
        self._secrets: set[str] = set()
        #: The values of secrets that the rehearsed suite sets itself.
        self._written: dict[str, str] = {}
        self._masks = Masks()
        self._starts = ProgramStarts(ports.environment, remembered=True)
        self._recorder = Recorder(self._masks, self._starts, ports.environment, ports.proxy_of)
        self._masked = self._masks.environment(ports.environment, ())
        #: The names of the variables that were asked for.
        self._asked: set[str] = set()
        self._outside: dict[frozenset[str], Ports] = {}

    def plan(self) -> Plan:
        """What was written down so far."""
        found = self._recorder
        return Plan(
            tuple(found.starts),
            tuple(each for each in found.sends if not hole_names(each.origin)),
            reads=tuple(map(Read, found.copies)),
            variables=tuple(Variable(name) for name in sorted(self._asked) if not is_rubrics_own(name)),
            notes=tuple(self._notes),
            unknown=self.unknown,
        )

    async def generate(self, suite: LoadedSuite) -> None:
        """Rehearse the programs that make cases of a suite."""
        self._recorder.home = str(suite.path.absolute().parent)
        environment = self._masks.environment(self._ports.environment, ())
        with self._recorder.replying("data"):
            await generate_cases(suite, rehearsal_ports(self._ports, self._heard(environment), self._recorder))

    def _heard(self, environment: Mapping[str, str]) -> Variables:
        return Variables(environment, asked=self._asked)

    async def add(self, case: Runnable) -> None:
        """Rehearse a variation of a case, as far as others like it were not."""
        try:
            require_valid(case)
            runner_of(case).refuse(case)
        except Unscored as problem:
            self._note(f"not run: {problem.reason}")
            return
        if case.facts not in self._known:
            self._known.add(case.facts)
            self._secrets |= set(secret_variables(case, shared_targets(case, self._ports.files)))
            self._masked = self._masks.environment(self._ports.environment, self._secrets)
            self._outside.clear()
        base = self._keys.base(case)
        is_new = self._keys.is_new(("case", base))
        graders = self._keys.new_graders(case, base)
        before = set(self._recorder.sends)
        if is_new or graders:
            await self._with_known(case, graders, frozenset(), whole=is_new)
        if is_new:
            sends = [each for each in self._recorder.sends if each not in before and hole_names(each.origin)]
            self._open_hosts[base] = sends
        for each in self._open_hosts.get(base, ()):
            self._fill_host(each, case.variables)

    async def _with_known(
        self, case: Runnable, graders: Mapping[Hashable, EvaluatorConfig], names: frozenset[str], *, whole: bool
    ) -> None:
        """Rehearse once, and again with the values of secrets that decide about programs and hosts, besides those of `names`."""
        recorder = self._recorder
        recorder.deciding = set()
        recorder.known = known_secrets({**self._ports.environment, **self._written}, names) if names else ()
        try:
            await self._once(case, graders, names, whole=whole)
        finally:
            recorder.known = ()
        further = names | recorder.deciding
        if further != names:
            await self._with_known(case, graders, further, whole=whole)

    def _fill_host(self, entry: Send, variables: Mapping[str, Any]) -> None:
        """A request to a host that the variables of a case name."""
        url = f"{entry.origin}{entry.path}"
        for name in hole_names(entry.origin):
            value = variables.get(name.removeprefix("vars."))
            if not isinstance(value, str) or "{{" in value or "{%" in value:
                self._recorder.sends.setdefault(replace(entry, origin=ANY_HOST, path="", why=f"from {name}"))
                return
            url = url.replace(hole(name), value)
        made = sent_request(entry.method, url.replace("\0", "\1"))
        path, proxy = made.path.replace("\1", "\0"), self._recorder.proxy_of(entry.method, url)
        self._recorder.sends.setdefault(replace(entry, origin=made.origin, path=path, proxy=proxy))

    async def _once(
        self,
        case: Runnable,
        graders: Mapping[Hashable, EvaluatorConfig],
        known: frozenset[str],
        *,
        whole: bool,
    ) -> None:
        outer = self._outer(known)
        self._recorder.home = str(case.directory)
        own = self._own(case, known)
        try:
            ports = self._masking(await runner_of(own).environment(own, outer), outer, known)
        except Unscored as problem:
            self._note(f"not run: {problem.reason}")
            return
        if whole:
            await self._around(own, ports)
        reason = ""
        async for ready in self._prepared(own, ports, always=whole):
            try:
                await _Attempt(ready, ports, self._recorder).rehearse(self._filled(ready, graders), whole=whole)
            except Unscored as problem:
                reason = problem.reason
            else:
                self._keys.graded(graders)
                return
        self._note(f"not run: {reason}")

    def _outer(self, known: frozenset[str]) -> Ports:
        """The ports of rehearsals with some secrets known: the same each time, as what follows from their variables is kept."""
        found = self._outside.get(known)
        if found is None:
            shell = self._ports.environment
            environment = {name: shell[name] if name in known else value for name, value in self._masked.items()}
            found = rehearsal_ports(self._ports, self._heard(environment), self._recorder)
            self._outside[known] = found
        return found

    def _masking(self, ports: Ports, outer: Ports, known: frozenset[str]) -> Ports:
        """The ports with words for the secrets that the suite or a file of variables beside it has set."""
        if ports.environment is outer.environment:
            return ports
        before, holes = outer.environment, self._masks.holes
        written = {n: v for n, v in ports.environment.items() if peek(before, n) != v and holes(v) == v}
        if not written:
            return ports
        masked = self._masks.environment(written, self._secrets)
        self._written = {name: value for name, value in written.items() if masked[name] != value}
        further = {name: masked[name] for name in self._written if name not in known}
        return replace_fields(ports, environment=Variables(further, ports.environment))

    def _own(self, case: Runnable, known: frozenset[str]) -> Runnable:
        """The case with facts of its own: nothing of a rehearsal may be taken for what a run has found."""
        facts = self._facts.get((case.facts, known))
        if facts is None:
            targets = shared_targets(case, self._ports.files)
            fresh = targets.fresh(rehearsed_providers(self._recorder), NoLimits())
            facts = self._facts[case.facts, known] = SuiteFacts(
                directory=case.facts.directory, targets=fresh, texts=case.facts.texts
            )
        options = replace(case.options, answer_cache=None, evaluators={})
        return replace(case, facts=facts, options=options)

    async def _around(self, case: Runnable, ports: Ports) -> None:
        """Rehearse what belongs to the suite: its extensions and the filters of its templates."""
        if extensions_written(case):
            extensions = runner_of(case).extensions([case], ports, self._note)
            for hook in ("beforeAll", "beforeEach", "afterEach", "afterAll"):
                told: dict[str, object] = (
                    {"suite": {}, "results": []} if hook.endswith("All") else {"test": {}, "result": {}}
                )
                with suppress(Unscored):
                    async for _ in extensions.run(hook, told):
                        pass
        if case.filter_files:
            filters = CustomFilters(case.filter_files, case.suite, case.directory, case.options.time_limit, case.line)
            for name in case.filter_files:
                with suppress(Unscored):
                    await filters.run(FilterNeeded(name, ("ok",)), ports)

    async def _prepared(self, case: Runnable, ports: Ports, *, always: bool) -> AsyncIterator[Runnable]:
        """The case with everything filled in, in each way in which programs can be imitated that make a part of it."""
        if not always and not self._keys.has_templates(case):
            yield case
            return
        reason, is_prepared = "", False
        for reply in _SUCCESSES:
            case.facts.filters = None  # which keep what they gave: another reply gives something else
            try:
                with self._recorder.replying(reply):
                    ready = await runner_of(case).prepare(case, ports)
            except Unscored as problem:
                reason = problem.reason
            else:
                is_prepared = True
                yield ready
        if not is_prepared:
            self._note(f"not run: {reason}")
            yield case

    @staticmethod
    def _filled(ready: Runnable, graders: Mapping[Hashable, EvaluatorConfig]) -> list[EvaluatorConfig]:
        """Graders as the case has them once its templates are filled in, in the same order."""
        wanted, is_same = list(graders.values()), runner_of(ready).is_same_grader
        filled = [each for each in graders_of(ready) if any(is_same(each, written) for written in wanted)]
        return filled if len(filled) == len(wanted) else wanted

    def _note(self, message: str) -> None:
        said = self._masks.holes(message)
        if said == message:
            self._notes.setdefault(shown(without_secrets(message, self._recorder.known)))
        # What ends a rehearsal because of a secret, as a target of its name, is decided by its value.
        self._recorder.deciding |= {name.removeprefix("$") for name in hole_names(said) if name.startswith("$")}


class _Attempt:
    """The rehearsal of one attempt at a case whose templates are filled in."""

    def __init__(self, case: Runnable, ports: Ports, recorder: Recorder) -> None:
        self.case, self.ports, self._recorder = case, ports, recorder
        self._masks = recorder.masks
        self._targets = shared_targets(case, ports.files)
        self._workspace: CaseWorkspace | None = None

    async def rehearse(self, configs: Sequence[EvaluatorConfig], *, whole: bool) -> None:
        """Rehearse workspace, target and these graders; only the graders unless `whole`. Raises Unscored."""
        if whole:
            await self._prepare_workspace()
        attempt = runner_of(self.case).attempt(self.case)(self.case, self.ports, ignore_event, 1, self._workspace)
        base = CaseResult(id=self.case.id, verdict=Verdict.UNSCORED, **requested_fields(self.case, self.ports.files))
        problem: Unscored | None = None
        for reply in _SUCCESSES if whole else ():
            with self._recorder.replying(reply):
                try:
                    await attempt.result(base)
                except Unscored as error:
                    problem = error
        await self._grade(attempt, base, configs)
        if problem is not None:
            raise problem

    async def _prepare_workspace(self) -> None:
        """Rehearse how the workspace of the case is made, and all of its hooks. Raises Unscored."""
        name = target_name(self.case.suite, self.case.options.target, self._targets)
        plan = plan_of(self.case, self.ports.files, self._targets.answering(name, self.ports))
        if plan is None:
            return
        await require(plan, self.ports)
        if plan.template is not None:
            self._recorder.copies.setdefault(str(real_path(plan.template)))
        path = None if plan.hooks_only else plan.existing or workspace_path(self._masks)
        if path is not None:
            for repo in plan.repos:
                await clone(repo, path, self.ports)
            self._workspace = CaseWorkspace(path, self.ports.directories, {**dict(plan.variables), VARIABLE: str(path)})
        told = {name: self._masks.word(name) for name in ("test_id", "eval_run_id", "case_input", "case_metadata")}
        around_all = {**told, "test_id": None, "case_input": None, "case_metadata": None}
        for moment, hook in plan.hooks:
            facts = told if moment.endswith("_each") else {k: v for k, v in around_all.items() if k != "test_id"}
            await run_hook(moment, hook, path, plan, self.ports, facts)

    async def _grade(self, attempt: Attempt, base: CaseResult, configs: Sequence[EvaluatorConfig]) -> None:
        """Rehearse graders with an answer that has a file of each kind that programs convert. Raises Unscored."""
        if not configs:
            return
        resolved, provider = attempt.target(base.target)
        programs = [each for config in configs for each in children(config) if isinstance(each, Preprocessor)]
        programs += [each for each in self.case.suite.preprocessors or () if isinstance(each, Preprocessor)]
        files = tuple(_answer_file(each.type or "", self._masks.word("file")) for each in programs)
        question = self._masks.word("prompt")
        inputs = PromptInputs(question=question, messages=(ChatMessage("user", question),), text=question)
        context = attempt.context(resolved, provider, inputs, Answer("ok", files=files), base.threshold)
        await attempt.grade_alike(attempt.with_row(context, "ok"), configs, base.target)
        if any(isinstance(each, CodeEvaluator) and each.target for config in configs for each in children(config)):
            await self._call_targets()

    async def _call_targets(self) -> None:
        """Rehearse the targets that a grading program may call through its proxy: all of them."""
        request = Request((ChatMessage("user", "ok"),), "ok")
        for entry in self._targets.file.entries if self._targets.file is not None else ():
            with suppress(Unscored, ProviderError):
                await self._targets.provider(entry.name, self.ports)[1].ask(request)


def _answer_file(kind: str, name: str) -> AnswerFile:
    """A file in an answer that a preprocessor for a type takes."""
    return AnswerFile(name, kind) if "/" in kind else AnswerFile(f"{name}.{kind.removeprefix('.')}")
