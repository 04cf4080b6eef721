"""Images and files in a message, as a provider takes them."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic_ai.messages import BinaryContent, UserContent
from pydantic_ai.profiles import DEFAULT_PROFILE, ModelProfile

from restwright.agents.steps import Attachment, Message


def convert_user_message(message: Message) -> list[UserContent]:
    """The files of a message and its words, in the order in which models read them best."""
    files = [BinaryContent(file.data, media_type=file.media_type) for file in message.files]
    return [*files, message.text]


def find_refused_file(messages: Iterable[Message], profile: ModelProfile) -> Attachment | None:
    """The first file that a model of this profile does not take; None where it takes all."""
    whole: ModelProfile = {**DEFAULT_PROFILE, **profile}
    files = (file for message in messages for file in message.files)
    return next((file for file in files if not _is_taken(file, whole)), None)


def _is_taken(file: Attachment, profile: ModelProfile) -> bool:
    content = BinaryContent(file.data, media_type=file.media_type)
    if content.is_image:
        return bool(profile.get("supports_image_input"))
    if content.is_audio:
        return bool(profile.get("supports_audio_file_input"))
    if content.is_video:
        return bool(profile.get("supports_video_input"))
    known = profile.get("supported_document_media_types", frozenset[str]())
    return bool(profile.get("supports_document_input")) and file.media_type in known
