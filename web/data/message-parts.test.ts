import { expect, test } from "vitest";
import type { BranchMessage } from "#contract/messages.ts";
import { partsOf } from "./message-parts.ts";

function parts(format: string, content: BranchMessage["content"]) {
  return partsOf({
    id: "msg_a",
    parent_id: null,
    external_id: null,
    height: 0,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    format,
    content,
    role: content.role === "user" ? "user" : "assistant",
    status: { type: "complete", reason: null, error_code: null },
    run_id: null,
    siblings: [],
    made_by: null,
    feedback: null,
  });
}

const own = (content: unknown[], more: object = {}) =>
  parts("aui/v0", { role: "assistant", content, ...more });
const sdk = (list: unknown[]) => parts("ai-sdk/v6", { role: "assistant", parts: list });

test("shows what is attached to a person's message after their words", () => {
  const attachments = [
    { type: "image", name: "a.png", content: [{ type: "image", image: "data:image/png;base64,AA==" }] },
    {
      type: "document",
      name: "b.pdf",
      contentType: "application/pdf",
      content: [{ type: "file", data: "https://example.org/b.pdf", mimeType: "application/pdf" }],
    },
    // How a client attaches a text: as words, which are nobody's own.
    {
      type: "document",
      name: "c.txt",
      contentType: "text/plain",
      content: [{ type: "text", text: "ä & b" }],
    },
    { type: "document", name: "broken" },
    null,
  ];
  expect(own([{ type: "text", text: "See" }], { role: "user", attachments })).toEqual([
    { type: "text", text: "See" },
    { type: "image", image: "data:image/png;base64,AA==", filename: "a.png" },
    { type: "file", data: "https://example.org/b.pdf", mimeType: "application/pdf", filename: "b.pdf" },
    { type: "file", data: "data:text/plain,%C3%A4%20%26%20b", mimeType: "text/plain", filename: "c.txt" },
  ]);
});

test("fills in the arguments of a call whichever way they were stored", () => {
  const call = { type: "tool-call", toolCallId: "c", toolName: "t" };
  expect(own([{ ...call, args: { a: 1 } }])).toEqual([{ ...call, args: { a: 1 }, argsText: '{"a":1}' }]);
  expect(own([{ ...call, argsText: '{"a' }])).toEqual([{ ...call, argsText: '{"a' }]);
  expect(own([call])).toEqual([{ ...call, argsText: "" }]);
});

test("leaves out parts that lack what their kind is made of, whoever stored them", () => {
  const broken = [
    { type: "text" },
    { type: "reasoning", text: 7 },
    { type: "source", sourceType: "url", id: "s" },
    { type: "source", sourceType: "document", id: "s", title: "T" },
    { type: "image" },
    { type: "file", data: "AA==" },
    { type: "audio", audio: { data: "AA==", format: "ogg" } },
    { type: "audio" },
    { type: "tool-call", toolCallId: "c" },
    { type: "data" },
  ];
  expect(own(broken)).toEqual([]);
  expect(sdk([{ type: "file" }, { type: "source-url" }, { type: "tool-x" }, { type: "text" }])).toEqual([]);
});

test("keeps titles and names of what clients of the AI SDK stored", () => {
  expect(
    sdk([
      { type: "source-url", sourceId: "s", url: "https://example.org", title: "A source" },
      {
        type: "source-document",
        sourceId: "d",
        title: "A paper",
        mediaType: "application/pdf",
        filename: "p.pdf",
      },
    ]),
  ).toEqual([
    { type: "source", sourceType: "url", id: "s", url: "https://example.org", title: "A source" },
    {
      type: "source",
      sourceType: "document",
      id: "d",
      title: "A paper",
      mediaType: "application/pdf",
      filename: "p.pdf",
    },
  ]);
});

test("says how a call of the AI SDK ended", () => {
  const call = { type: "tool-t", toolCallId: "c", input: { a: 1 } };
  const read = (more: object) => sdk([{ ...call, ...more }])[0];
  expect(read({ state: "output-available", output: false })).toMatchObject({ result: false });
  expect(read({ state: "output-error", errorText: "no" })).toMatchObject({ result: "no", isError: true });
  expect(read({ state: "output-denied" })).toMatchObject({ isError: true });
  expect(read({ state: "input-available" })).not.toHaveProperty("result");
  expect(read({ state: "input-streaming", input: undefined })).toMatchObject({ argsText: "" });
});
