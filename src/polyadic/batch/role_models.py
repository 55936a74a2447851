"""The language models of batch files: which role each request belongs to, and the model of each role."""

from collections.abc import Mapping

from polyadic.config import MODEL_ROLES, ModelRole, ModelSettings
from polyadic.generation.claim_checker import CHECK_CLAIMS
from polyadic.hierarchy.llm_summarizer import REPORT, SUMMARIZE
from polyadic.llm.endpoint_model import EndpointModel

_ROLES: Mapping[str, ModelRole] = {
    "extract": "extraction",
    "glean": "extraction",
    SUMMARIZE: "summaries",
    REPORT: "summaries",
    "same-entity": "judging",
    CHECK_CLAIMS: "judging",
    "judge": "judging",
    "make-questions": "judging",
}
"""Role of each purpose of a request; all others belong to answers."""


def role_of(purpose: str) -> ModelRole:
    """Return the role of a request with this purpose.

    >>> role_of("extract"), role_of("question-entities")
    ('extraction', 'answers')
    """
    return _ROLES.get(purpose, "answers")


class BatchRoleModels:
    """The model of each role, which builds request bodies and parses replies; no endpoint is called.

    Roles with the same settings share one model.
    """

    def __init__(self, settings: ModelSettings) -> None:
        of_roles = {role: settings.of_role(role) for role in MODEL_ROLES}
        models = {one: EndpointModel(one) for one in of_roles.values()}
        self.distinct = tuple(models.values())
        self._of_roles = {role: models[one] for role, one in of_roles.items()}

    def of(self, role: ModelRole) -> EndpointModel:
        """Return the model of a role; its name is empty if the settings name none."""
        return self._of_roles[role]

    def for_purpose(self, purpose: str) -> EndpointModel:
        """Return the model of requests with this purpose; if its role has none, that of the answers."""
        model = self.of(role_of(purpose))
        return model if model.name else self.of("answers")
