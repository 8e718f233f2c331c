import type { BodyInputOf, EndpointName, QueryInputOf } from "../api.ts";
import type { ErrorCode } from "../errors.ts";
import { limits } from "../limits.ts";

/**
 * What the API reference says of each endpoint beyond its summary and its shapes. The tests hold it to the truth: they
 * run every example, and fail where an endpoint answers an error that is neither here nor one of `errorsOf`.
 */
export type Note<N extends EndpointName> = {
  /** A few sentences, for whoever is about to call it. */
  about: string;
  /** The errors that are its own: those of the credential, the body and the ids in the path go without saying. */
  errors?: readonly ErrorCode[];
  /** An example. `$NAMES` in texts stand for what the caller has: `$THREAD_ID`, `$MESSAGE_ID`, `$REFRESH_TOKEN`. */
  query?: Partial<QueryInputOf<N>>;
  /** Where the example's address is one that was given, and is not put together by the caller. */
  address?: string;
  body?: BodyInputOf<N>;
  /** Headers of the example, beyond the credential and the type. */
  headers?: Record<string, string>;
  /** Another status of success, and when. */
  orStatus?: { status: number; when: string };
  /** Of a stream: what comes, line by line. */
  stream?: string;
};

const said = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

const now = "2026-01-31T12:00:00.000Z";

export const notes: { [N in EndpointName]: Note<N> } = {
  "auth.signUpAnonymous": {
    about:
      "Makes a new person without an account, with a workspace of their own. Keep the refresh token: it is the only way back to what they write. It takes neither a body nor a header.",
    errors: ["anonymous-off", "rate-limited"],
  },
  "auth.refresh": {
    about:
      "The same refresh token is answered, good for 30 days from now, so that a lost answer can be asked for again. A refused token is over for good; an answer of 429 or 503 says nothing of it.",
    errors: ["anonymous-off", "invalid-refresh-token", "rate-limited"],
    body: { refresh_token: "$REFRESH_TOKEN" },
  },
  "auth.mint": {
    about:
      "For a backend that signs people in itself: the token acts for five minutes as the user and in the workspace that the headers name, from a browser too.",
  },
  "auth.openSession": {
    about:
      "For our own web app only, from its own origin: the session is a cookie that no script can read. With the secret of the owner's link it is the owner's.",
    errors: ["not-allowed", "anonymous-off", "invalid-owner-link", "rate-limited"],
    body: {},
    headers: { "Parlance-Client": "web" },
  },
  "auth.closeSession": {
    about: "Ends the web app's session and takes its cookie back. For our own web app only.",
    errors: ["not-allowed"],
    headers: { "Parlance-Client": "web" },
  },
  "auth.me": {
    about: "Names the user and the workspace that the credential stands for.",
  },

  "threads.list": {
    about:
      "The list or, with `is_archived=true`, the archive; never both. Newest message first. A page of exactly `limit` threads may have more after it: ask again with `after`. A walk goes on where it stood while threads are written in, archived or deleted. Pinned threads stand where their newest message puts them, too; `is_pinned=true` answers those alone.",
    errors: ["bad-cursor"],
    query: { limit: "20" },
  },
  "threads.create": {
    about:
      "With `upsert` and an `external_id` the answer may be a thread that was there: then the status is 200. So it is when a thread of an `id` that you minted is made again.",
    errors: ["conflict"],
    orStatus: { status: 200, when: "It was there already." },
    body: { last_message_at: now, title: "A plan for the garden", metadata: { colour: "green" } },
  },
  "threads.claim": {
    about:
      "For someone who wrote without an account and signs in: the threads of the anonymous visitor, with all that belongs to them, move to the workspace of the caller. Asked again, nothing is left to move.",
    errors: ["anonymous-cannot-claim", "invalid-refresh-token", "quota-full"],
    body: { refresh_token: "$REFRESH_TOKEN" },
  },
  "threads.get": { about: "A thread in the trash is not found." },
  "threads.update": {
    about:
      "Only what is sent changes. A name that a person gave stays: no model replaces it. An assistant or a model that is chosen here answers from the next message on.",
    errors: ["assistant-not-found"],
    body: { title: "The garden in spring", is_pinned: true },
  },
  "threads.remove": {
    about:
      "It is not found by any other call from then on, but for `restore`. After 30 days it is gone for good, with its messages. What its runs used stays counted.",
  },
  "threads.restore": { about: "Brings a thread back from the trash, as it was." },
  "threads.askAgain": {
    about:
      "Takes back what `always` allowed when a call was approved: `allowed_tools` of the thread lists it. Taken back a second time, nothing happens.",
  },

  "exports.thread": {
    about:
      "As JSON it can be brought in again, here or on another server, with its ids, times and branches, and names the files that it speaks of; the format is told in `docs/export-format.md`. It is named by `Content-Disposition`, and made as it is sent: a connection that ends early is a file that is cut short. A thread in the trash is not found.",
    errors: ["too-many-transfers"],
    query: { format: "markdown" },
  },
  "exports.everything": {
    about:
      "Every thread of the workspace, archive and trash included: the JSON of each, beside it its Markdown, and the files that messages speak of. It is made as it is sent: one without its last bytes was cut short, and no program opens it. Save it with `-o`.",
    errors: ["too-many-transfers"],
  },
  "imports.add": {
    about:
      "The body is the file: an export of this service (`--data-binary @parlance-export.zip`, or the JSON of one thread), or one of ChatGPT or Claude (the zip, or its `conversations.json`); what it is shows by its bytes. Ids stay where they are free. What is there already is left as it is, and only messages that it lacks are added: the same file twice changes nothing. Files that messages speak of come along, where the zip holds them. Each thread is taken in whole or not at all. Hanging up stops it between two threads.",
    errors: [
      "import-unknown",
      "import-too-new",
      "import-damaged",
      "import-unsafe",
      "too-many-transfers",
      "too-many-streams",
      "rate-limited",
    ],
    body: {
      format: "parlance-thread",
      version: 1,
      thread: { id: "garden-1", title: "The garden" },
      messages: [
        {
          id: "a",
          parent_id: null,
          role: "user",
          format: "aui/v0",
          created_at: now,
          content: said("What grows in the shade?"),
        },
      ],
    },
    stream:
      "Server-sent events: `import-start`, then `import-thread` for each with its `outcome` (`added`, `updated`, `unchanged` or `refused`, and then why) and the `files` that came with it or are `missing`, at last `import-end` with what came of all. Without that the import did not end: send the file again, and it goes on.",
  },

  "trash.list": {
    about: "A page of exactly `limit` threads may have more after it; pass its last id as `after`.",
    errors: ["bad-cursor"],
    query: { limit: "20" },
  },
  "trash.empty": { about: "They cannot be brought back. `deleted` says how many threads went." },
  "trash.remove": {
    about: "It cannot be brought back. A thread that is not in the trash is not found.",
  },

  "messages.list": {
    about:
      "All branches of the thread: the deepest first, then the newest. A page of exactly `limit` messages may have more after it. A thread that is not yours has none. With `format` messages of other formats are converted where they can be.",
    errors: ["bad-cursor", "page-too-large"],
    query: { limit: "200" },
  },
  "messages.add": {
    about:
      "For clients that keep both sides of a talk themselves; to have an answer made, start a run. What is sent comes back exactly. The thread moves to the top of the list. With an `external_id` that is there already, that message takes the new content and format and the status is 200; the same again changes nothing and does not move the thread.",
    errors: ["parent-not-in-thread", "role-cannot-change"],
    orStatus: {
      status: 200,
      when: "A message of this external id was there, and has the new content and format now.",
    },
    body: { parent_id: null, format: "aui/v0", content: said("What grows in the shade?") },
  },
  "messages.update": {
    about: "The message keeps its id, place, children and format. It may have children.",
    body: { content: said("What grows in deep shade?") },
  },
  "messages.remove": {
    about:
      "The children of a deleted message move up to its parent, as the protocol's clients show it; every `height` below is adjusted. With `descendants=true` everything below is deleted too. An answer that is still being written into a deleted message is stopped. What waits behind a deleted reply waits behind the message above it, until somebody sends it. Ids that are not in the thread are ignored, but at least one must be.",
    errors: ["messages-not-found"],
    body: { message_ids: ["$MESSAGE_ID"] },
  },
  "messages.feedback": {
    about:
      "One rating for each person and message: the second replaces the first. It is kept as the boolean score `feedback`.",
    body: { type: "positive", comment: "Just what I needed." },
  },
  "messages.withdrawFeedback": { about: "Where there is no rating, nothing happens." },
  "messages.branch": {
    about:
      "One branch from the top down, as a reader sees it: the one that was shown to the caller last, or the one through `head`. Pages go upwards, with `before`.",
    errors: ["message-not-found"],
    query: { limit: "100" },
  },
  "messages.setHead": {
    about: "From now on the caller is shown the branch that goes through this message.",
    errors: ["message-not-found"],
    body: { message_id: "$MESSAGE_ID" },
  },

  "runs.start": {
    about:
      "With `message` it is stored and answered; with `parent_id` a stored message is answered again, beside the earlier answer. The run goes on whether anyone listens or not. A message below a reply that is still being written waits in the queue of the thread until that has ended. A thread whose id you minted is made here. The thread remembers the assistant and the model that are named. The same ids again are the same run.",
    errors: [
      "conflict",
      "parent-not-in-thread",
      "model-not-found",
      "assistant-not-found",
      "thread-busy",
      "queue-full",
      "queued-not-found",
      "too-many-runs",
    ],
    orStatus: {
      status: 202,
      when: "An answer is being written there: the message waits, as `queued` tells.",
    },
    body: { message: { parent_id: null, content: said("What grows in the shade?") } },
  },
  "runs.get": { about: "How a run stands, and what it used." },
  "runs.events": {
    about:
      "Every event of the run, numbered from 1 without a gap, those of the past first and then as they are made. Whoever lost the connection goes on from the last number, by `after` or by the `Last-Event-ID` header. The stream ends with the run.",
    errors: ["too-many-streams"],
    stream:
      'Server-sent events: `id` is the number, `data` one JSON event. The first is `run-start`, the last `run-end`; between them the parts of the answer (`text-delta`, `tool-call-start` and so on). `{"type":"reset"}` says that the log is no longer kept: read the message instead.',
  },
  "runs.continue": {
    about:
      "A new run goes on in the same message from what is stored of it. What the model says once more is left out. The assistant and the model that began it go on, whatever the thread has chosen since.",
    errors: ["run-not-continuable", "model-not-found", "conflict", "thread-busy", "too-many-runs"],
    body: {},
  },
  "runs.stop": { about: "Stopping a run that has ended changes nothing." },
  "runs.approve": {
    about:
      "The model is told where a call is not allowed, and why. The first decision counts; the same again changes nothing.",
    errors: [
      "thread-not-found",
      "call-not-found",
      "call-answered",
      "call-not-waiting",
      "run-ended",
      "too-many-runs",
    ],
    body: { tool_call_id: "$TOOL_CALL_ID", approved: true },
  },
  "runs.giveResult": {
    about: "For tools that a person or a page carries out. The run goes on with it.",
    errors: [
      "thread-not-found",
      "call-not-found",
      "call-answered",
      "call-not-waiting",
      "run-ended",
      "too-many-runs",
    ],
    body: { tool_call_id: "$TOOL_CALL_ID", result: { chosen: ["red"] } },
  },
  "runs.stream": {
    about:
      "For clients that store both sides themselves: no message is stored, and the model stops when the caller hangs up. With `system/thread_title` the answer is the bare title, which is kept with the thread where it has none.",
    errors: [
      "thread-not-found",
      "assistant-not-found",
      "invalid-response-format",
      "model-not-found",
      "model-not-connected",
      "too-many-runs",
    ],
    body: {
      thread_id: "$THREAD_ID",
      assistant_id: "default",
      messages: [said("What grows in the shade?")],
      response_format: "vercel-ai-data-stream/v1",
    },
    stream:
      "A title is plain text. An answer is a UI message stream (`x-vercel-ai-ui-message-stream: v1`) that ends with `data: [DONE]` where the request has `Accept: text/event-stream` or an `Aui-Sdk` header, as `assistant-cloud` sends it from 0.2 on. Otherwise it is a data stream (`x-vercel-ai-data-stream: v1`), one `code:JSON` on each line.",
  },
  "runs.report": {
    about:
      "For applications that answer with a model of their own. A report with the same `trace_id` is the same run, and adds its message and tags. Fields that we do not know are kept as attributes.",
    errors: ["thread-not-found", "message-not-in-thread", "attributes-too-large"],
    body: {
      thread_id: "$THREAD_ID",
      status: "completed",
      model_id: "gpt-4o",
      input_tokens: 120,
      output_tokens: 48,
      duration_ms: 1_400,
    },
  },

  "queue.update": {
    about: "It keeps its place in the queue, and its id.",
    body: { content: said("And what grows in the sun?") },
  },
  "queue.remove": {
    about:
      "It is never said, unless `restore` in a change of its words puts it back. Taken out a second time, nothing happens.",
  },
  "queue.send": {
    about:
      "For one that is held because the answer before it did not end well. It becomes a message and is answered.",
    errors: ["thread-busy", "too-many-runs"],
  },

  "traces.add": {
    about:
      "For OpenTelemetry's exporters, in JSON or protobuf (`application/x-protobuf`), as it is or packed with gzip or deflate. Spans of generative AI (`gen_ai.operation.name`, or a name that begins with `gen_ai.`, `ai.` or `llm.`) make one run of each trace, or extend the run that was reported under it; `gen_ai.conversation.id` names its thread. At most 500 spans of a trace are kept; others, and spans of other things, are counted in the answer. What spans measure goes before what a report said; how the run ended is as it was reported. The same export again changes nothing.",
    errors: ["bad-export", "unsupported-type", "unsupported-encoding"],
    body: { resourceSpans: [] },
  },

  "files.upload": {
    about:
      "Answers where to PUT the bytes, without a credential and within 15 minutes, and the address that the file has from then on. Whoever knows `publicUrl` can read the file for as long as it is there: store it as it is. A file that no message speaks of goes after 24 hours.",
    errors: ["file-too-large", "quota-full", "too-many-uploads"],
    body: { filename: "garden.png" },
  },
  "files.list": {
    about:
      "What the caller attached in this workspace, and what it takes. A file of a message is deleted with it.",
    errors: ["bad-cursor"],
    query: { sort: "largest", limit: "20" },
  },
  "files.get": {
    about:
      "Any file of the workspace, once its bytes are there. Asked for what was sent to a bucket, it takes that in, or says why it is not kept.",
    errors: ["file-too-large", "quota-full"],
  },
  "files.remove": {
    about:
      "At once and for good; messages that speak of it have a dead address from then on. A colleague's file is not the caller's to delete.",
    errors: ["not-allowed"],
  },
  "files.receive": {
    about:
      "The address is that of `signedUrl`, to the letter, where it leads to this server; with a bucket, and a `content_length` that was declared, it leads there. It takes one file: the same bytes again succeed, others are refused.",
    errors: ["link-expired", "file-too-large", "quota-full", "too-many-uploads", "file-already-stored"],
    query: { expires: "1769860800000", signature: "…" },
    address: "$SIGNED_URL",
  },
  "files.download": {
    about:
      "Answers an address that opens the file for 15 minutes, without a credential and without telling its lasting one.",
    errors: ["file-not-found"],
    body: { key: "$FILE_KEY" },
  },
  "files.read": {
    about:
      "Of the type that the bytes show. What a browser could run is sent to be saved. Takes `Range` (one), `If-None-Match` and `If-Range`.",
    errors: ["range-not-satisfiable"],
  },
  "files.thumbnail": {
    about:
      "A WebP of at most 512 pixels in width and height, upright, of the first frame, and without what a camera wrote beside the picture. It is made when it is first asked for, of PNG, JPEG, WebP, GIF, TIFF and AVIF. Takes `Range` (one), `If-None-Match` and `If-Range`.",
    errors: ["no-thumbnail", "range-not-satisfiable"],
  },
  "files.open": {
    about:
      "The address is a file's `publicUrl` or a `signedUrl` of the call before, to the letter; it opens the file for whoever knows it, from any page, as the call above does.",
    address: "$PUBLIC_URL",
    errors: ["link-expired", "range-not-satisfiable"],
  },
  "files.pdfToImages": {
    about:
      "Each page is drawn at 150 dots per inch, a very large one smaller, and its text is told beside it. A PDF has at most 25 MiB and 200 pages. At `file_url` may stand a file of this server or a public address; the server reads that without a credential, and only where it really leads to the public internet. The same PDF of the same workspace is drawn once a day. With `Accept: text/event-stream` pages come as they are drawn: `pdf-start` with the number of `pages`, a `pdf-page` for each in its turn with its `number` and what stands in `pages` otherwise, and `pdf-end`; without that last one, something failed. Whoever hangs up ends the work.",
    errors: [
      "pdf-unreadable",
      "pdf-locked",
      "pdf-unsupported",
      "pdf-empty",
      "pdf-too-many-pages",
      "pdf-too-large",
      "pdf-too-long",
      "pdf-too-complex",
      "too-many-pdfs",
      "file-not-found",
      "link-expired",
      "fetching-off",
      "address-not-allowed",
      "address-unreachable",
      "address-refused",
      "fetched-wrong-type",
      "fetched-too-large",
      "too-many-streams",
    ],
    body: {
      file_blob:
        "JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqIDIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tpZHNbMyAwIFJdL0NvdW50IDE+PmVuZG9iaiAzIDAgb2JqPDwvVHlwZS9QYWdlL1BhcmVudCAyIDAgUi9NZWRpYUJveFswIDAgNzIgNzJdPj5lbmRvYmogdHJhaWxlcjw8L1Jvb3QgMSAwIFI+Pg==",
    },
  },
  "files.openPage": {
    about:
      "The address is one of those that the call before answered, to the letter; it opens the page's image for whoever knows it, from any page, for an hour.",
    address: "$PAGE_URL",
    errors: ["link-expired", "range-not-satisfiable"],
  },

  "scores.put": {
    about:
      "A number, a word, or yes and no, under a name of yours, for one run, one thread, or one message of a thread. The same name by the same author replaces it. A yes comes back as 1.",
    errors: ["thread-not-found", "message-not-in-thread", "run-not-found"],
    body: { run_id: "$RUN_ID", name: "quality", data_type: "numeric", value: 0.9 },
  },
  "events.add": {
    about:
      "Up to 50 at once. Those of threads that are not the caller's are left out without a word. None of them holds what was said.",
    errors: ["rate-limited"],
    body: { events: [{ kind: "message_copied", thread_id: "$THREAD_ID" }] },
  },

  "projects.threads": {
    about: "As the list of one workspace, over all of them.",
    errors: ["bad-cursor"],
    query: { limit: "20" },
  },
  "projects.messages": {
    about: "As the list of one's own thread.",
    errors: ["bad-cursor", "page-too-large"],
    query: { limit: "200" },
  },
  "projects.runs": {
    about:
      "Runs of all kinds: made here, streamed to a client, and reported. Pass `next_cursor` as `cursor` for the next page; null is the end.",
    errors: ["bad-cursor"],
    query: { status: "completed", limit: "50" },
  },
  "projects.run": { about: "One run, whoever asked for it." },
  "projects.usage": {
    about: `Every day of the range, also those without a run; by model, only those with one. At most ${limits.usageDaysMax} days.`,
    errors: ["bad-day-range"],
    query: { group_by: "model" },
  },
  "projects.usagePeriod": {
    about: "The present calendar month (UTC). There is no plan here and so no limit: those fields are null.",
  },
  "projects.scores": {
    about: "Newest first. A page of exactly `limit` scores may have more after it.",
    errors: ["bad-cursor"],
    query: { name: "feedback", limit: "50" },
  },
  "projects.eraseUser": {
    about:
      "Deletes the threads that they made, their words in threads of others, their scores, events and sessions. Runs stay counted, without their name. It cannot be undone.",
    errors: ["not-allowed"],
  },

  "search.find": {
    about:
      "Titles, messages of all branches and attached files of the caller's threads, newest first. A file is found by its name and by its text, as soon as that was read. Pass `next` as `after` for the next page; null is the end. Filters that cannot be understood are left out, and named in `ignored`.",
    query: { q: "garden", limit: "20" },
  },

  "mcp.call": {
    about: "Answered 501: what it would read is read through `/v1/projects`.",
    errors: ["mcp-not-offered"],
  },

  "live.follow": {
    about:
      "One stream for everything that a browser shows: the changes of the workspace from the number `after` on, and the events of the runs in view.",
    errors: ["too-many-streams"],
    query: { after: "0", runs: "$RUN_ID:0" },
    stream:
      "Server-sent events, each `data` one JSON message: first `hello` with the feed's newest number, then `change` and `run`. `reset` says that what lies after the asked number is no longer kept: load afresh and go on from its number.",
  },
  "models.list": { about: "`default_model` answers where none is named." },

  "assistants.list": {
    about:
      "What one needs to choose: names, avatars, starters and models, in the order that the owner gave them. The assistant `default` is always there. What they are told is not shown.",
  },
  "assistants.get": {
    about: "With its instructions, tools and parameters, which nobody else is shown.",
  },
  "assistants.create": {
    about:
      "Everybody of the project can choose it at once. Where `instructions` are empty the model is told what the default assistant's is. `tools` null gives it every tool, also later ones.",
    errors: ["conflict", "too-many-assistants"],
    body: {
      name: "Gardener",
      avatar: { text: "\u{1F331}", colour: "green" },
      instructions: "You are a patient gardener. Name plants by their Latin names too.",
      starters: ["What can I sow in May?"],
      parameters: { temperature: 0.4 },
    },
  },
  "assistants.update": {
    about:
      "Changes what is given and leaves the rest. Answers that are being written go on as they began; the next ones are made with the change.",
    body: { name: "Head gardener", starters: [] },
  },
  "assistants.reorder": {
    about: "The first is shown first. Repeating it changes nothing.",
    body: { assistant_ids: ["$ASSISTANT_ID", "default"] },
  },
  "assistants.remove": {
    about:
      "It can no longer be chosen. Threads that had chosen it go on with the default one, and say so; its answers keep its name. The default one itself becomes again what it was at the start.",
  },
  "assistants.restore": {
    about: "As it was. Threads that had chosen it have it again.",
    errors: ["too-many-assistants"],
  },
  "tools.list": { about: "By the names that an assistant's `tools` take." },

  "erasure.everything": {
    about:
      "Deletes every thread, archive and trash included, and the caller's files, scores and events; answers that are being written stop. Runs stay counted, without their name; so does who they are, and where they are signed in. It cannot be undone. For people of the web app and anonymous visitors: whom an application names, that erases.",
    errors: ["not-allowed"],
  },
};
