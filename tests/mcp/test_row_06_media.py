"""Row 6: what is no text comes as an image, as sound, or as a link to its bytes."""

from __future__ import annotations

import base64

from tests.support.mcp.serving import call, serving_api, talk
from tests.support.mcp.tricky import PNG, WAV


def test_the_bytes_of_an_image_and_of_a_sound_are_equal(api, tmp_path, era):
    served = serving_api(api, tmp_path)
    (image,) = call(served, era, "tricky__picture").content
    assert (image.type, image.mime_type) == ("image", "image/png")
    assert base64.b64decode(image.data) == PNG
    (sound,) = call(served, era, "tricky__sound").content
    assert (sound.type, sound.mime_type) == ("audio", "audio/wav")
    assert base64.b64decode(sound.data) == WAV


def test_other_bytes_are_linked_to(api, tmp_path, era):
    served = serving_api(api, tmp_path)

    async def say(client):
        result = await client.call_tool("tricky__blob", {})
        text, link = result.content
        assert text.text == "3 bytes of application/octet-stream"
        return await client.read_resource(link.uri)

    (contents,) = talk(served, era, say).contents
    assert base64.b64decode(contents.blob) == b"\x00\x01\xff"


def test_what_only_says_that_it_is_an_image_is_linked_to(api, tmp_path, era):
    api.fixed["/picture"] = (200, "image/png", b"\x00 no picture")
    result = call(serving_api(api, tmp_path), era, "tricky__picture")
    assert [block.type for block in result.content] == ["text", "resource_link"]
