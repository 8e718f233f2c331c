import { expect, test } from "vitest";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import { threadMarkdown } from "./markdown.ts";

/** The Markdown of one message, without the heading of its thread. */
async function markdownOf(format: string, content: object): Promise<string> {
  const at = "2026-01-01T00:00:00.000Z";
  const thread = { title: null, created_at: at } as Thread;
  const row = {
    role: "assistant",
    status: "complete",
    format,
    content: JSON.stringify(content),
  } as MessageRow;
  const pages = (async function* () {
    yield [row];
  })();
  let text = "";
  for await (const piece of threadMarkdown(thread, pages, at)) text += piece;
  return text.slice(text.indexOf("## Assistant"));
}

test("shows every kind of part, and the sources at the end", async () => {
  const content = [
    { type: "reasoning", text: "Hm" },
    { type: "source", sourceType: "url", id: "s", url: "https://example.org/a", title: "A [source]" },
    { type: "source", sourceType: "document", id: "d", title: "A paper", mediaType: "application/pdf" },
    { type: "text", text: "So" },
    { type: "image", image: "https://example.org/a.png", filename: "a.png" },
    { type: "image", image: "data:image/png;base64,AA==" },
    { type: "file", data: "https://example.org/f.pdf", mimeType: "application/pdf", filename: "f.pdf" },
    { type: "file", data: "AA==", mimeType: "application/pdf" },
    { type: "audio", audio: { data: "AA==", format: "wav" } },
    { type: "tool-call", toolCallId: "c", toolName: "add", args: { a: 1 }, result: "no", isError: true },
    { type: "tool-call", toolCallId: "d", toolName: "add", argsText: '{"a' },
    { type: "data", name: "chart", data: [1] },
    { type: "hologram", caption: "</details>" },
  ];
  expect(await markdownOf("aui/v0", { content })).toMatchInlineSnapshot(`
    "## Assistant

    <details>
    <summary>Reasoning</summary>

    > Hm

    </details>

    So

    ![Image: a.png](<https://example.org/a.png>)

    *Image (in the JSON export)*

    [File: f.pdf](<https://example.org/f.pdf>)

    *File (in the JSON export)*

    *Audio (in the JSON export)*

    <details>
    <summary>Tool: add</summary>

    Arguments:

    \`\`\`json
    {
      "a": 1
    }
    \`\`\`

    Result:

    \`\`\`
    no
    \`\`\`

    The call failed.

    </details>

    <details>
    <summary>Tool: add</summary>

    Arguments:

    \`\`\`json
    {"a
    \`\`\`

    </details>

    <details>
    <summary>Data: chart</summary>

    \`\`\`json
    [
      1
    ]
    \`\`\`

    </details>

    <details>
    <summary>Unknown part: hologram</summary>

    \`\`\`json
    {
      "type": "hologram",
      "caption": "</details>"
    }
    \`\`\`

    </details>

    Sources:

    1. [A \\[source\\]](<https://example.org/a>)
    2. A paper
    "
  `);
});

test("shows the artifact of a tool call, and the messages within it", async () => {
  const inner = {
    type: "tool-call",
    toolCallId: "d",
    toolName: "look_up",
    argsText: "{}",
    artifact: "A map",
  };
  const messages = [
    { role: "user", content: [{ type: "text", text: "## Assistant\n```\nopen" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Rain" },
        {
          ...inner,
          messages: [
            { role: "assistant", content: [{ type: "text", text: "In </details>\n```html\n<div>\n```" }] },
          ],
        },
        { type: "source", sourceType: "url", id: "s", url: "https://example.org/a", title: "A" },
      ],
    },
    "no message",
  ];
  const call = { type: "tool-call", toolCallId: "c", toolName: "ask_agent", args: {}, result: "Wet" };
  const content = [
    { ...call, messages, artifact: { degrees: 4 } },
    { type: "text", text: "So" },
  ];
  expect(await markdownOf("aui/v0", { content })).toMatchInlineSnapshot(`
    "## Assistant

    <details>
    <summary>Tool: ask\\_agent</summary>

    Arguments:

    \`\`\`json
    {}
    \`\`\`

    Messages of the tool:

    > **Input**
    >
    > ## Assistant
    > \`\`\`
    > open
    > \`\`\`

    > **Answer**
    >
    > Rain
    >
    > <details>
    > <summary>Tool: look\\_up</summary>
    >
    > Arguments:
    >
    > \`\`\`json
    > {}
    > \`\`\`
    >
    > Messages of the tool:
    >
    > > **Answer**
    > >
    > > In &lt;/details>
    > > \`\`\`html
    > > <div>
    > > \`\`\`
    >
    > Artifact:
    >
    > \`\`\`
    > A map
    > \`\`\`
    >
    > </details>
    >
    > Sources:
    >
    > 1. [A](<https://example.org/a>)

    Result:

    \`\`\`
    Wet
    \`\`\`

    Artifact:

    \`\`\`json
    {
      "degrees": 4
    }
    \`\`\`

    </details>

    So
    "
  `);
  for (const odd of [null, "odd", 7, {}, [], [[]], [{ role: 7, content: 7 }]])
    expect(await markdownOf("aui/v0", { content: [{ ...call, messages: odd }] })).toContain("Wet");
});

test("copies the lines of messages in calls in calls only a few times", async () => {
  const call = (messages: object[]) => ({
    type: "tool-call",
    toolCallId: "c",
    toolName: "ask",
    args: {},
    messages,
  });
  let content: object[] = [{ type: "text", text: "line\n".repeat(10_000) }];
  for (let depth = 0; depth < 100; depth++) content = [call([{ role: "assistant", content }])];
  const markdown = await markdownOf("aui/v0", { content });
  expect(markdown.split("> **Answer**").length - 1).toBe(4);
  expect(markdown).toContain("line\\nline\\n");
  expect(markdown.length).toBeLessThan(2 * JSON.stringify(content).length);
});

test("shows a picture of an AI SDK message as a picture", async () => {
  const parts = [
    { type: "file", mediaType: "image/png", url: "https://example.org/a.png", filename: "a.png" },
  ];
  expect(await markdownOf("ai-sdk/v6", { parts })).toContain("![Image: a.png](<https://example.org/a.png>)");
});

test("says that a person edited an answer", async () => {
  const content = { content: [{ type: "text", text: "So" }] };
  const custom = { edited_from: "msg_1" };
  expect(await markdownOf("aui/v0", { ...content, metadata: { custom } })).toContain(
    "So\n\n*Edited by hand.*",
  );
  for (const metadata of [undefined, null, "odd", { custom: null }, { custom: {} }])
    expect(await markdownOf("aui/v0", { ...content, metadata })).not.toContain("Edited");
});
