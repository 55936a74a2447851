"""Examples of the LightRAG-compatible API, by schema."""

from typing import Any

_ID = "5f0c7d2a9b31e8445f0c7d2a9b31e844"
_DOCUMENT = {
    "id": _ID,
    "content_summary": "Ada Lovelace",
    "content_length": 148,
    "status": "processed",
    "created_at": "",
    "updated_at": "",
    "track_id": None,
    "chunks_count": 1,
    "error_msg": None,
    "metadata": {"year": "1843"},
    "file_path": "ada.md",
}
_COUNTS = {"all": 1, "processed": 1}
_ENTITY = {"entity_id": "program", "entity_name": "program", "entity_type": "", "description": ""}
_PLACE = {"source_id": _ID, "file_path": "ada.md", "reference_id": "1"}
EXAMPLES: dict[str, Any] = {
    "LightRAGQueryResponse": {
        "response": '"Ada Lovelace wrote the first published program." [1]',
        "references": [{"reference_id": "1", "file_path": "ada.md", "content": None}],
    },
    "LightRAGDataResponse": {
        "status": "success",
        "message": "Query executed successfully",
        "data": {
            "entities": [],
            "relationships": [
                {
                    "src_id": "Ada Lovelace",
                    "tgt_id": "program",
                    "entities": ["Ada Lovelace", "program"],
                    "description": "Ada Lovelace wrote the first published program.",
                    "keywords": "",
                    "weight": 1.19,
                    **_PLACE,
                }
            ],
            "chunks": [],
            "references": [{"reference_id": "1", "file_path": "ada.md"}],
        },
        "metadata": {"query_mode": "mix", "keywords": {"high_level": [], "low_level": []}, "processing_info": {}},
    },
    "LightRAGInsertResponse": {
        "status": "success",
        "message": "The document was accepted and is being indexed.",
        "track_id": _ID,
    },
    "LightRAGStatuses": {"statuses": {"processed": [_DOCUMENT]}},
    "LightRAGDocumentPage": {
        "documents": [_DOCUMENT],
        "pagination": {
            "page": 1,
            "page_size": 50,
            "total_count": 1,
            "total_pages": 1,
            "has_next": False,
            "has_prev": False,
        },
        "status_counts": _COUNTS,
    },
    "LightRAGStatusCounts": {"status_counts": _COUNTS},
    "LightRAGTrackStatus": {
        "track_id": _ID,
        "documents": [_DOCUMENT | {"track_id": _ID, "file_path": "2 documents"}],
        "total_count": 2,
        "status_summary": {"processed": 2},
    },
    "LightRAGPipelineStatus": {
        "autoscanned": False,
        "busy": True,
        "job_name": "2 documents",
        "job_start": "2026-01-02T03:04:05.700+00:00",
        "docs": 2,
        "batchs": 40,
        "cur_batch": 12,
        "request_pending": False,
        "latest_message": "2026-01-02T03:04:05.678+00:00 2 documents: running",
        "history_messages": ["2026-01-02T03:04:05.678+00:00 2 documents: running"],
    },
    "LightRAGDeleteResponse": {"status": "deletion_started", "message": "1 document was deleted.", "doc_id": _ID},
    "LightRAGCancelResponse": {"status": "not_busy", "message": "No job is queued or running."},
    "LightRAGGraph": {
        "nodes": [{"id": "program", "labels": ["program"], "properties": _ENTITY}],
        "edges": [
            {
                "id": "Ada Lovelace-program",
                "type": "DIRECTED",
                "source": "Ada Lovelace",
                "target": "program",
                "properties": {"description": "Ada Lovelace wrote the program.", "weight": 1, "keywords": ""},
            }
        ],
        "is_truncated": False,
    },
    "LightRAGExistence": {"exists": True},
    "LightRAGMergeResponse": {
        "status": "success",
        "message": "Merged into program.",
        "data": _ENTITY,
        "operation_summary": None,
    },
    "LightRAGAuthStatus": {
        "auth_configured": False,
        "auth_mode": "disabled",
        "access_token": "guest",
        "token_type": "bearer",
        "message": "There are no user accounts: send an API key in X-API-Key if the server needs one.",
        "core_version": "1.0.0",
        "api_version": "1.0.0",
    },
}
