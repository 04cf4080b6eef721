"""The options of commands in which a model decides, in groups."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import BadParameter, Option

from restwright.cli.inputs.options import ReadOnly, Yes

if TYPE_CHECKING:
    from restwright.agents.agent import Limits
    from restwright.agents.journal.store import Journal
    from restwright.calls.approval.approval import Approve

AgentKind = Literal["rest", "calling", "react", "plan", "dfsdt"]

Trace = Annotated[
    Path | None, Option("--trace", metavar="FILE", help="Write the trace there as JSON.")
]
Resume = Annotated[
    str | None,
    Option("--resume", metavar="ID", help="Go on with a run that was interrupted or stopped."),
]

QueueName = Annotated[
    str, Option("--queue", metavar="NAME", help="Of the queue that workers take runs from.")
]

NoJournal = Annotated[
    bool, Option("--no-journal", help="Keep nothing of what is done; no run can be resumed.")
]


ShareLimits = Annotated[
    bool,
    Option(
        "--share-limits",
        help="Keep to the places, the pace and the rest of each API together with all who do so by"
        " the same --journal postgresql://..., and share tokens of OAuth where it has a key.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class JournalPlace:
    """Options of where runs are kept, and under which key."""

    journal: Annotated[
        str,
        Option(
            "--journal",
            envvar="RESTWRIGHT_JOURNAL",
            metavar="PLACE",
            help="Where runs are kept: sqlite:PATH, postgresql://USER@HOST/DATABASE, or env:NAME"
            " where one of these stands with its password; a file of this user where none is"
            " named.",
            show_default=False,
        ),
    ] = ""
    journal_key: Annotated[
        str | None,
        Option(
            "--journal-key",
            envvar="RESTWRIGHT_JOURNAL_KEY",
            metavar="SECRET",
            help="Where the key is that what is kept is sealed with, 32 bytes in base64:"
            " env:NAME, file:PATH or keyring:NAME.",
        ),
    ] = None

    def open(self, user: str = "") -> Journal:
        """
        Open the journal.

        Args:
            user: Whose runs are kept there, apart from those of others; empty for one user.

        Raises:
            OSError: It cannot be reached or written.
            RestwrightError: There is no such place, secret or key.
        """
        from restwright.agents.journal.opening import journal

        return journal(self.journal, key=self.journal_key, user=user)


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Options of which model is asked."""

    model: Annotated[
        str | None,
        Option(
            "--model",
            envvar="RESTWRIGHT_MODEL",
            metavar="NAME",
            help="local, local:NAME, or PROVIDER:NAME such as openai:NAME.",
        ),
    ] = None
    model_url: Annotated[
        str | None,
        Option(
            "--model-url",
            envvar="RESTWRIGHT_MODEL_URL",
            metavar="URL",
            help="OpenAI-compatible server of --model openai:NAME.",
        ),
    ] = None
    yes_download: Annotated[
        bool, Option("--yes-download", help="Download the local model without asking.")
    ] = False

    def or_else(self, model: str | None, url: str | None) -> ModelOptions:
        """These, with the model of a manifest where the command line names none."""
        if self.model is not None:
            return self
        return replace(self, model=model, model_url=self.model_url or url)


@dataclass(frozen=True, kw_only=True)
class AgentOptions:
    """Options of who answers."""

    agent_kind: Annotated[
        AgentKind | None,
        Option(
            "--agent",
            help="How it goes about the question: rest plans and reads in small steps, for small"
            " models too; calling lets a large model call tools; react, plan and dfsdt are"
            " baselines. Where none is named, rest for small models and calling for others.",
            show_default=False,
        ),
    ] = None
    model: ModelOptions = field(default_factory=ModelOptions)


@dataclass(frozen=True, kw_only=True)
class MomentOptions:
    """Options of when and where the user is, as the prompts are told."""

    timezone: Annotated[
        str | None,
        Option(
            "--timezone",
            metavar="ZONE",
            help="Time zone that dates such as today are of, as Europe/Paris; that of this machine"
            " where none is named.",
        ),
    ] = None
    locale: Annotated[
        str | None,
        Option("--locale", metavar="TAG", help="Language and country of the user, as de-CH."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse a time zone that there is not, and what is no locale."""
        if not self.is_given:
            return
        from restwright.agents.prompting.moment import check_locale, find_timezone

        try:
            if self.timezone is not None:
                find_timezone(self.timezone)
            check_locale(self.locale or "")
        except ValueError as error:
            raise BadParameter(str(error)) from None

    @property
    def is_given(self) -> bool:
        """Whether any of them is."""
        return self.timezone is not None or self.locale is not None

    def settings(self) -> dict[str, Any]:
        """Those of an `Agent`, where something is said here."""
        from restwright.agents.prompting.moment import clock_in

        given: dict[str, Any] = {}
        if self.timezone is not None:
            given["now"] = clock_in(self.timezone)
        if self.locale is not None:
            given["locale"] = self.locale
        return given


@dataclass(frozen=True, kw_only=True)
class ApprovalOptions:
    """Options of what a person would be asked: whether a write is sent, and what only they know."""

    yes: Yes = False
    trust_apis: Annotated[
        bool,
        Option(
            "--trust-apis",
            help="With --yes: send them also after a response of another API was read, which may"
            " have asked for them.",
        ),
    ] = False
    read_only: ReadOnly = False
    human: Annotated[
        Path | None,
        Option(
            "--human",
            metavar="FILE",
            help="A JSON object of answers, by the name of what is asked for or of the tool.",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse two options that exclude each other, and one that needs another."""
        if self.yes and self.read_only:
            raise BadParameter("--yes and --read-only exclude each other")
        if self.trust_apis and not self.yes:
            raise BadParameter("--trust-apis says how far --yes goes; give --yes too")


@dataclass(frozen=True, kw_only=True)
class ResumeOptions:
    """Options of whether a run is kept, and of one that was."""

    resume: Resume = None
    no_journal: NoJournal = False
    place: JournalPlace = field(default_factory=JournalPlace)

    def __post_init__(self) -> None:
        """Refuse two options that exclude each other."""
        if self.no_journal and self.resume is not None:
            raise BadParameter("--resume and --no-journal exclude each other")


@dataclass(frozen=True, kw_only=True)
class JournalOptions:
    """Options of what is written down of a run."""

    trace: Trace = None
    wait: Annotated[
        bool,
        Option(
            "--wait",
            help="Leave open what only a person can allow or say, and end; `sessions questions`"
            " lists it, `sessions answer` answers it, and --resume goes on.",
        ),
    ] = False
    share_limits: ShareLimits = False
    kept: ResumeOptions = field(default_factory=ResumeOptions)

    def __post_init__(self) -> None:
        """Refuse two options that exclude each other."""
        if self.share_limits and self.kept.no_journal:
            raise BadParameter("--share-limits and --no-journal exclude each other")
        if self.wait and self.kept.no_journal:
            raise BadParameter("--wait and --no-journal exclude each other")

    def listening(self, approve: Approve, human: Path | None) -> dict[str, Any]:
        """
        Return who is asked in a run, as settings of an `Agent`.

        Args:
            approve: Asks about writes where somebody is there.
            human: A file of answers.
        """
        from restwright.calls.approval.approval import refuse_all
        from restwright.cli.inputs.human import human_of

        if not self.wait:
            return {"approve": approve, "human": human_of(human)}
        return {"approve": refuse_all, "human": human_of(human, is_alone=True), "waits": True}


# The defaults are those of `Limits`, said twice so that the help of a command costs no import.
@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """Options of what a run may use; what is not given is as the manifest or the library says."""

    max_calls: Annotated[
        int | None,
        Option("--max-calls", min=1, metavar="N", help="Most HTTP calls.", show_default="25"),
    ] = None
    max_model_calls: Annotated[
        int | None,
        Option(
            "--max-model-calls",
            min=1,
            metavar="N",
            help="Most requests to the model.",
            show_default="60",
        ),
    ] = None
    max_tokens: Annotated[
        int | None,
        Option(
            "--max-tokens",
            min=1,
            metavar="N",
            help="Most tokens, read and written.",
            show_default="100000",
        ),
    ] = None
    max_seconds: Annotated[
        float | None,
        Option(
            "--max-seconds",
            min=0.1,
            max=86400,
            metavar="SECONDS",
            help="Longest run.",
            show_default="600.0",
        ),
    ] = None
    max_steps: Annotated[
        int | None,
        Option(
            "--max-steps",
            min=1,
            metavar="N",
            help="Most steps of the agent, of any kind.",
            show_default="1000",
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        Option("--max-cost", min=0, metavar="DOLLARS", help="Most that the model may cost."),
    ] = None
    max_calls_per_api: Annotated[
        int | None,
        Option("--max-calls-per-api", min=1, metavar="N", help="Most HTTP calls to each API."),
    ] = None

    def over(self, limits: Limits) -> Limits:
        """`limits`, where nothing else is said here."""
        given = {
            name.removeprefix("max_"): value
            for name, value in vars(self).items()
            if value is not None
        }
        return replace(limits, **given)
