"""One evaluation by a judge: the prompt, the judge, and the result of the reply."""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.code.payload import messages_in
from rubric_core.evaluation.judging.judge import ask_judge, raw_request
from rubric_core.evaluation.judging.prompts import (
    BUILT_IN,
    JudgeInputs,
    free_form_prompt,
    rubric_prompt,
    tool_call_lines,
)
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.inputs import CustomPrompt
from rubric_core.evaluation.model.recording import JudgeRecordings, RecordingMode
from rubric_core.evaluation.model.result import CriterionResult
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.evaluation.scoring.json_path import json_text
from rubric_core.evaluation.scoring.rubric import RubricSheet
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import AgentJudge, AgentRubric, LlmJudge, LlmRubric
from rubric_core.language.variables import variables_in
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.loading.grading import default_name
from rubric_core.ports import Answer, ChatMessage, Provider, Request
from rubric_core.syntax.plain_data import plain

if TYPE_CHECKING:
    from rubric_core.evaluation.model.recording import JudgeInput, Provenance

__all__ = ["Judgement", "no_judge"]

_NONE = "no judge is configured and no recording matches this answer"
_NAME_ONE = "name one with `grader_target`, on the target in targets.yaml or for the whole run"
_NO_JUDGE_IN_RUN = f"{_NONE}; {_NAME_ONE}"
_NO_JUDGE_GIVEN = f"{_NONE}; give one by `resolve_judge_provider`, or as `judge_provider` of the context"
_NO_RECORDING = "no recording matches this answer and criterion, and this run uses recordings only"
#: What says that no judge was named, and not that a named one is of no use.
_NOBODY = ("", _NO_JUDGE_IN_RUN, _NO_JUDGE_GIVEN)


_LOOK = "Look at the files in the working directory, which the answer is about, before you decide. Change none of them."


def no_judge(context: EvaluationContext) -> str:
    """The reason where there is no judge: a run finds one among its targets, other callers bring it."""
    return _NO_JUDGE_GIVEN if context.access is None else _NO_JUDGE_IN_RUN


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """Everything needed for a judge's evaluation of one answer."""

    context: EvaluationContext
    dialect: Dialect
    #: None if there is no judge; then `trouble` says why.
    judge: Provider | None
    trouble: str
    #: The author's prompt.
    own: CustomPrompt | None
    recordings: JudgeRecordings | None
    mode: RecordingMode
    max_output_tokens: int | None
    temperature: float | None
    #: The description of a good answer, in place of the criteria of the case.
    criteria: str | None = None

    async def rubric(self, sheet: RubricSheet) -> EvaluationScore:
        """The score of a rubric, criterion by criterion. Raises Unscored."""
        replaced = self.context.system_prompt
        system, user = rubric_prompt(sheet, self._inputs(), self.dialect.properties, self.own, replaced)
        request = self._request(system, user)
        if self.judge is None and self.mode == "refresh":
            raise self._unasked(self._nobody_asked())
        if self.judge is None or self.mode == "replay":
            return self._replayed(sheet, request)
        if self.mode == "record" and self._known(sheet):
            return self._replayed(sheet, request)
        from rubric_core.evaluation.judging.replies import read_checks, schema_for_checks  # noqa: PLC0415  # pydantic, when it is needed

        request = replace_fields(request, schema=("rubric_checks", schema_for_checks(sheet)))
        (checks, overall), judged = await ask_judge(
            self.judge, request, lambda text: read_checks(text, sheet), self._consequence, self.context.exchanges
        )
        if self.mode in ("record", "refresh") and self.recordings is not None:
            pairs = [(item, checks[item.id]) for item in sheet.items]
            made = self._provenance(self.judge, judged.answer)
            self.recordings.record_checks(self._judge_input(), pairs, sheet.ranges, made, afresh=self.mode == "refresh")
        score = sheet.score([self._notify_criterion(sheet.judged(item, checks[item.id])) for item in sheet.items])
        raw = raw_request(request, self.judge.name, judged.attempts)
        return replace(
            score, evaluator_raw_request=raw, raw_replies=judged.replies, reasoning=overall or None,
            judge=judged.answer.model or self.judge.name,
        )  # fmt: skip

    def _replayed(self, sheet: RubricSheet, request: Request) -> EvaluationScore:
        """The score from recordings. If a criterion has none, raises Unscored with the recorded criteria."""
        if self.recordings is None:
            raise self._unasked(self.trouble or no_judge(self.context))
        asked, judge = self._judge_input(), self.judge.identity if self.judge else None
        results: list[CriterionResult] = []
        words: list[str] = []
        for item in sheet.items:
            found = self.recordings.check(asked, item, sheet.ranges, judge)
            if found is None or found.check is None:
                results.append(sheet.unjudged(item, self.trouble or "no recording matches this answer and criterion"))
            else:
                results.append(self._notify_criterion(sheet.judged(item, found.check)))
                words.append(found.words)
        if any(r.score is None for r in results):
            raise self._unasked(self._missing_words(results), tuple(results))
        judges = ", ".join(dict.fromkeys(words))
        self._note_recorded(judges, request)
        return replace(sheet.score(results), judge=judges, evaluator_raw_request=raw_request(request, "recorded"))

    def _note_recorded(self, judge: str, request: Request) -> None:
        """Log the request that was not sent because there is a recording."""
        self.context.exchanges.add(
            Exchange(role="judge", to=judge, messages=request.messages, recorded=True, cost_usd=0.0)
        )

    def _unasked(self, reason: str, criteria: tuple[CriterionResult, ...] = ()) -> Unscored:
        """The exception when no judge was called: an error if the named judge is unusable, else merely unscored."""
        kind = Unscored if self.trouble in _NOBODY else GraderError
        return kind(reason, criteria)

    def _nobody_asked(self) -> str:
        """Why nothing can be recorded afresh without a judge: earlier recordings do not count here."""
        none = f"this run calls the judge again, and no judge is configured; {_NAME_ONE}"
        return none if self.trouble in _NOBODY else self.trouble

    def _missing_words(self, results: Sequence[CriterionResult]) -> str:
        missing = sum(r.score is None for r in results)
        reason = self.trouble or _NO_RECORDING
        return reason if missing == len(results) else f"{missing} of {len(results)} criteria not judged: {reason}"

    async def whole(self) -> EvaluationScore:
        """The score that a judge gives the answer as a whole. Raises Unscored."""
        properties = self.dialect.properties
        system, user = free_form_prompt(self._inputs(), properties, self.own, self.context.system_prompt)
        request = self._request(system, user)
        if self.judge is None and self.mode == "refresh":
            raise self._unasked(self._nobody_asked())
        if self.judge is None or self.mode in ("record", "replay"):
            judge = self.judge.identity if self.judge else None
            found = self.recordings.free_form(self._judge_input(), judge) if self.recordings else None
            if found is not None and found.score is not None:
                self._note_recorded(found.words, request)
                return replace(found.score, judge=found.words, evaluator_raw_request=raw_request(request, "recorded"))
            if self.judge is None or self.mode == "replay":
                raise self._unasked(self.trouble or (no_judge(self.context) if self.judge is None else _NO_RECORDING))
        from rubric_core.evaluation.judging.replies import read_free_form, schema_for_free_form  # noqa: PLC0415

        style = properties.reply_style
        request = replace_fields(request, schema=("judgement", schema_for_free_form(style)))
        score, judged = await ask_judge(
            self.judge, request, lambda text: read_free_form(text, style), self._consequence, self.context.exchanges
        )
        if self.mode in ("record", "refresh") and self.recordings is not None:
            made = self._provenance(self.judge, judged.answer)
            self.recordings.record_free_form(self._judge_input(), score, made, afresh=self.mode == "refresh")
        raw = raw_request(request, self.judge.name, judged.attempts)
        judge = judged.answer.model or self.judge.name
        return replace(score, evaluator_raw_request=raw, raw_replies=judged.replies, judge=judge)

    @property
    def _consequence(self) -> str:
        """How the releases of the dialect treat a judge without a usable reply. Rubric leaves the case unscored."""
        scores = self.dialect.properties.judge_failure == "zero"
        return "agentv would score this 0" if scores else "agentv would leave this evaluator out of the mean"

    def _inputs(self) -> JudgeInputs:
        answer, prompt = self.context.answer, self.context.prompt_inputs
        used = answer.tool_uses if answer else None
        calls = tool_call_lines(used or ())
        changes = answer.file_changes if answer else ""
        criteria = (self.context.eval_case.criteria or "") if self.criteria is None else self.criteria
        written = self.context.eval_case.metadata
        metadata = plain(written, self.context.anchors) if written else None
        told = JudgeInputs(
            criteria, prompt.question, prompt.reference_answer, self.context.candidate, changes, calls,
            metadata="" if metadata is None else json_text(metadata, indent=2),
            metadata_json="" if metadata is None else json_text(metadata), messages=self._messages(),
        )  # fmt: skip
        return self.context.redact.within(told)

    def _messages(self) -> dict[str, str]:
        """The messages that the author's prompt shows, by its variables."""
        shown = variables_in(self.own.text) if self.own is not None else frozenset[str]()
        used = shown.intersection(self.dialect.properties.message_variables)
        return {name: json_text(value, indent=2) for name, value in messages_in(self.context, used).items()}

    def _request(self, system: str, user: str) -> Request:
        config = self.context.evaluator
        own = config.temperature if isinstance(config, LlmJudge | LlmRubric) and config.has("temperature") else None
        looks = isinstance(config, AgentJudge | AgentRubric)
        if looks:
            system = f"{system}\n\n{_LOOK}"
        return Request(
            (ChatMessage("system", system), ChatMessage("user", user)),
            user,
            workspace=self.context.workspace if looks else None,
            case_id=self.context.eval_case.id or "",
            model=self.context.judge_model,
            temperature=next((t for t in (own, self.temperature) if t is not None), 0.0),
            max_output_tokens=self.max_output_tokens,
        )

    def _judge_input(self) -> "JudgeInput":
        from rubric_core.evaluation.model.recording import JudgeInput  # noqa: PLC0415

        inputs = self._inputs()
        brought = self.own.text if self.own is not None else None
        own = [text for text in (brought, self.context.system_prompt) if text is not None]
        prompt = BUILT_IN if not own else f"sha256:{hashlib.sha256(chr(0).join(own).encode()).hexdigest()[:16]}"
        shown = inputs.metadata if {"metadata", "metadata_json"} & variables_in(brought or "") else ""
        told = (inputs.file_changes, inputs.tool_calls, shown, *inputs.messages.values())
        more = "\n\n".join(part for part in told if part)
        return JudgeInput(prompt, inputs.question, inputs.answer, inputs.criteria, inputs.reference, more)

    def _known(self, sheet: RubricSheet) -> bool:
        """Whether every criterion is recorded with this judge."""
        if self.recordings is None or self.judge is None:
            return False
        asked, judge = self._judge_input(), self.judge.identity
        return all(self.recordings.check(asked, item, sheet.ranges, judge) is not None for item in sheet.items)

    def _provenance(self, judge: Provider, answer: Answer) -> "Provenance":
        """The provenance of a reply: judge, time, case and evaluator."""
        identity = answer.stand_in[1] if answer.stand_in else judge.identity
        config = self.context.evaluator
        name = default_name(config) if config is not None else "llm_judge"
        from rubric_core.evaluation.model.recording import Provenance  # noqa: PLC0415

        return Provenance(identity, self.context.now.date().isoformat(), self.context.eval_case.id or "", name)

    def _notify_criterion(self, result: CriterionResult) -> CriterionResult:
        self.context.on_criterion(result)
        return result
