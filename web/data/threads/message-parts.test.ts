import { expect, test } from "vitest";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import { partsOf } from "./message-parts.ts";

test("shows attachments after the text, and an attached text as a file", () => {
  const attachments = [
    { type: "image", name: "a.png", content: [{ type: "image", image: "data:image/png;base64,AA==" }] },
    {
      type: "document",
      name: "c.csv",
      contentType: "text/csv",
      content: [{ type: "text", text: "ä & b" }],
    },
  ];
  const row: BranchMessage = {
    id: "msg_a",
    parent_id: null,
    external_id: null,
    height: 0,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    format: "aui/v0",
    content: { role: "user", content: [{ type: "text", text: "See" }], attachments },
    role: "user",
    status: { type: "complete", reason: null, error_code: null },
    run_id: null,
    siblings: [],
    made_by: null,
    is_pinned: false,
    feedback: null,
    feedback_reason: null,
    feedback_comment: null,
  };
  const parts = partsOf(row);
  expect(parts).toEqual([
    { type: "text", text: "See" },
    { type: "image", image: "data:image/png;base64,AA==", filename: "a.png" },
    { type: "file", data: "data:text/plain,%C3%A4%20%26%20b", mimeType: "text/csv", filename: "c.csv" },
  ]);
  expect(partsOf(row)).toBe(parts);
});
