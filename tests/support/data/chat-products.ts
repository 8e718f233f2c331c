/** Exports of other chat products, with the fields that their own code writes. */

const picture = `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`;
export const pictureBytes = Buffer.from(picture.slice(picture.indexOf(",") + 1), "base64");
const second = 1_760_000_000;
const iso = (seconds: number) => new Date((second + seconds) * 1_000).toISOString();

/** A row of Open WebUI's table `chat`, as its export writes it: two answers to one question, of which one was shown. */
export function openWebUiChat(id: string, more: object = {}) {
  return {
    id,
    user_id: "user-1",
    title: `About ${id}`,
    created_at: second,
    updated_at: second + 60,
    share_id: null,
    archived: true,
    pinned: true,
    meta: { tags: ["garden", "shade"] },
    folder_id: null,
    chat: {
      title: `About ${id}`,
      models: ["llama3:8b", "qwen3"],
      params: {},
      files: [],
      tags: [],
      timestamp: second * 1_000,
      messages: [],
      history: {
        currentId: `${id}-a1`,
        messages: {
          [`${id}-q`]: {
            id: `${id}-q`,
            parentId: null,
            childrenIds: [`${id}-a1`, `${id}-a2`, "gone"],
            role: "user",
            content: "What grows in the shade?",
            models: ["llama3:8b", "qwen3"],
            files: [
              { type: "image", id: null, url: picture, name: "leaf.png" },
              {
                type: "file",
                id: "0b6e3f0a-2f0e-4d0f-8a52-1b1d3d2c4e5f",
                url: "0b6e3f0a-2f0e-4d0f-8a52-1b1d3d2c4e5f",
                name: "plants.pdf",
                status: "uploaded",
                file: {
                  id: "0b6e3f0a-2f0e-4d0f-8a52-1b1d3d2c4e5f",
                  filename: "plants.pdf",
                  meta: { name: "plants.pdf", content_type: "application/pdf", size: 9 },
                  data: { content: "Ferns: shade." },
                },
              },
            ],
            timestamp: second,
          },
          [`${id}-a1`]: {
            id: `${id}-a1`,
            parentId: `${id}-q`,
            childrenIds: [],
            role: "assistant",
            content:
              '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n&gt; Ferns &amp; mosses come to mind.\n</details>\n<details type="tool_calls" done="true" id="call-1" name="search" arguments="&quot;{\\&quot;query\\&quot;:\\&quot;ferns\\&quot;}&quot;" result="&quot;Found&quot;">\n<summary>Tool Executed</summary>\n</details>\nFerns [1].',
            model: "llama3:8b",
            modelName: "Llama 3",
            modelIdx: 0,
            done: true,
            annotation: { rating: 1 },
            sources: [
              {
                source: { name: "https://ferns.example/", url: "https://ferns.example/" },
                document: ["Ferns like shade."],
                metadata: [
                  { source: "https://ferns.example/", title: "Ferns" },
                  { source: "https://ferns.example/" },
                ],
              },
            ],
            timestamp: second + 10,
          },
          [`${id}-a2`]: {
            id: `${id}-a2`,
            parentId: `${id}-q`,
            childrenIds: [],
            role: "assistant",
            content: "",
            model: "qwen3",
            done: false,
            output: [
              {
                type: "reasoning",
                content: [{ type: "output_text", text: "Moss?" }],
                summary: null,
                duration: 2,
              },
              {
                type: "function_call",
                call_id: "c9",
                name: "look_up",
                arguments: '{"name":"moss"}',
                status: "completed",
              },
              {
                type: "function_call_output",
                call_id: "c9",
                output: [{ type: "input_text", text: "a plant" }],
              },
              { type: "message", role: "assistant", content: [{ type: "output_text", text: "Moss" }] },
            ],
            timestamp: (second + 11) * 1_000,
          },
          broken: { id: "broken", parentId: `${id}-a1`, childrenIds: [] },
          [`${id}-q2`]: {
            id: `${id}-q2`,
            parentId: "broken",
            childrenIds: [],
            role: "user",
            content: "And in the sun?",
            timestamp: second + 20,
          },
        },
      },
    },
    ...more,
  };
}

export function libreChatConversation(id: string) {
  const message = (messageId: string, parentMessageId: string, more: object) => ({
    messageId,
    parentMessageId,
    conversationId: id,
    endpoint: "openAI",
    error: false,
    unfinished: false,
    createdAt: iso(Number(messageId.slice(1))),
    updatedAt: iso(0),
    ...more,
  });
  const answer = { isCreatedByUser: false, sender: "GPT-4o", model: "gpt-4o" };
  return {
    conversationId: id,
    endpoint: "openAI",
    title: `About ${id}`,
    exportAt: "16:33:32 GMT+0200 (Central European Summer Time)",
    branches: true,
    recursive: true,
    options: { model: "gpt-4o" },
    messagesTree: [
      {
        ...message("m1", "00000000-0000-0000-0000-000000000000", {
          isCreatedByUser: true,
          sender: "User",
          model: null,
        }),
        text: "What grows in the shade?",
        files: [
          {
            file_id: "f1",
            filename: "notes.txt",
            filepath: "/uploads/u/notes.txt",
            type: "text/plain",
            text: "Be kind.",
          },
        ],
        children: [
          {
            ...message("m2", "m1", answer),
            text: "",
            content: [
              { type: "think", think: "Ferns come to mind." },
              {
                type: "tool_call",
                tool_call: { id: "call-1", name: "search", args: '{"query":"ferns"}', output: "Found" },
              },
              null,
              { type: "text", text: { value: "Ferns." } },
            ],
            feedback: { rating: "thumbsDown" },
            children: [],
          },
          {
            ...message("m3", "m1", { ...answer, unfinished: true }),
            text: ":::thinking\nMoss?\n:::\n\nMoss.",
            children: [],
          },
        ],
      },
    ],
  };
}

export function lobeChatExport() {
  const message = (id: string, role: string, seconds: number, more: object) => ({
    id,
    role,
    content: "",
    topicId: "tpc_1",
    sessionId: "ssn_1",
    threadId: null,
    parentId: null,
    reasoning: null,
    search: null,
    tools: null,
    error: null,
    model: role === "assistant" ? "gpt-4o" : null,
    createdAt: iso(seconds),
    updatedAt: iso(seconds),
    ...more,
  });
  return {
    data: {
      // Keys of providers are in the file too.
      aiProviders: [{ id: "openai", keyVaults: "sk-secret" }],
      sessions: [{ id: "ssn_1", title: null }],
      agents: [{ id: "agt_1", title: "Gardener" }],
      agentsToSessions: [{ agentId: "agt_1", sessionId: "ssn_1" }],
      topics: [
        {
          id: "tpc_1",
          title: "Shade",
          favorite: true,
          sessionId: "ssn_1",
          createdAt: iso(0),
          updatedAt: iso(50),
        },
      ],
      threads: [{ id: "thd_1", sourceMessageId: "msg_2" }],
      messagePlugins: [{ id: "msg_3", toolCallId: "call-1", identifier: "search", apiName: "web" }],
      // Not sorted.
      messages: [
        message("msg_4", "assistant", 4, {
          content: "Ferns.",
          search: { citations: [{ url: "https://ferns.example/", title: "Ferns" }] },
        }),
        message("msg_1", "user", 1, { content: "What grows in the shade?" }),
        message("msg_3", "tool", 3, { content: "Found" }),
        message("msg_2", "assistant", 2, {
          reasoning: { content: "Ferns come to mind.", duration: 3_000 },
          tools: [
            {
              id: "call-1",
              identifier: "search",
              apiName: "web",
              arguments: '{"query":"ferns"}',
              type: "builtin",
            },
          ],
        }),
        message("msg_5", "user", 5, { content: "In a side thread", threadId: "thd_1" }),
        message("msg_6", "user", 6, { content: "Without a topic", topicId: null }),
      ],
    },
    mode: "pglite",
    schemaHash: "abc",
  };
}

export function huggingChatConversation(id: string) {
  return {
    _id: id,
    model: "meta-llama/Llama-3.3-70B-Instruct",
    title: `About ${id}`,
    rootMessageId: "s",
    sessionId: "session",
    createdAt: iso(0),
    updatedAt: iso(60),
    messages: [
      { id: "s", from: "system", content: "", ancestors: [], children: ["q"] },
      {
        id: "q",
        from: "user",
        content: "What grows in the shade?",
        ancestors: ["s"],
        children: ["a", "b"],
        files: [`file-${id}-0badcafe.png`],
        createdAt: iso(1),
      },
      {
        id: "a",
        from: "assistant",
        content: "<think>Ferns come to mind.</think>Ferns.",
        ancestors: ["s", "q"],
        files: [`file-${id}-0badcafe.png`],
        score: 1,
        createdAt: iso(2),
      },
      {
        id: "b",
        from: "assistant",
        content: "Moss",
        ancestors: ["s", "q"],
        interrupted: true,
        files: [`file-${id}-0badcafe.png`],
        createdAt: iso(3),
      },
    ],
  };
}

export function deepSeekConversation(id: string) {
  const node = (name: string, parent: string | null, fragments: object[] | null) => ({
    id: name,
    parent,
    children: [],
    message: fragments && {
      model: "deepseek-reasoner",
      inserted_at: iso(Number(name)),
      files: [],
      fragments,
    },
  });
  return {
    id,
    title: `About ${id}`,
    inserted_at: iso(0),
    updated_at: iso(60),
    mapping: {
      root: node("root", null, null),
      1: node("1", "root", [{ type: "REQUEST", content: "What grows in the shade?" }]),
      2: node("2", "1", [
        { type: "THINK", content: "Ferns come to mind." },
        { type: "RESPONSE", content: "Ferns." },
      ]),
      3: node("3", "1", [{ type: "RESPONSE", content: "Moss." }]),
    },
  };
}

export function leChatMessages(chatId: string) {
  const message = (id: string, role: string, seconds: number, more: object) => ({
    id,
    version: 0,
    chatId,
    role,
    content: "",
    contentChunks: null,
    createdAt: iso(seconds),
    reaction: "neutral",
    canvas: [],
    quotes: [],
    files: [],
    ...more,
  });
  return [
    message("a", "assistant", 2, {
      content: "Ferns.",
      contentChunks: [
        {
          type: "tool_call",
          id: "call-1",
          name: "web_search",
          publicArguments: '{"query":"ferns"}',
          publicResult: [{ url: "https://ferns.example/", title: "Ferns" }],
        },
        { type: "text", text: "Ferns." },
        { type: "reference", referenceIds: [0] },
      ],
    }),
    message("q", "user", 1, {
      content: "What grows in the shade?",
      files: [{ type: "image", name: "leaf.png" }],
    }),
    message("b", "assistant", 3, { content: "Moss.", version: 1 }),
  ];
}

export function geminiActivity() {
  const record = (seconds: number, title: string, more: object = {}) => ({
    header: "Gemini Apps",
    title,
    time: iso(seconds),
    products: ["Gemini Apps"],
    activityControls: ["Gemini Apps Activity"],
    ...more,
  });
  return [
    record(9_000, "Prompted And in the sun?", { safeHtmlItem: [{ html: "<p>Lavender.</p>" }] }),
    record(700, "Used Gemini Apps"),
    { ...record(650, "Watched a film"), header: "YouTube", products: ["YouTube"] },
    record(600, "Prompted More? Attached 1 file.", {
      attachedFiles: ["leaf.png"],
      safeHtmlItem: [{ html: "<ul><li>Moss</li></ul>" }],
    }),
    record(0, "Prompted What grows in the shade?", {
      safeHtmlItem: [{ html: "<h3>Ferns</h3><script>alert(1)</script><p>They <b>do</b>.</p>" }],
    }),
  ];
}
