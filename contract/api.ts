import * as z from "zod/mini";
import * as assistants from "./assistants.ts";
import * as auth from "./auth.ts";
import * as events from "./events.ts";
import * as exports from "./exports.ts";
import * as files from "./files.ts";
import * as imports from "./imports.ts";
import * as live from "./live.ts";
import * as messages from "./messages.ts";
import * as models from "./models.ts";
import * as queue from "./queue.ts";
import * as reports from "./reports.ts";
import * as runs from "./runs.ts";
import * as scores from "./scores.ts";
import * as search from "./search.ts";
import { anyId, empty } from "./shapes.ts";
import * as threads from "./threads.ts";
import * as tools from "./tools.ts";
import * as traces from "./traces.ts";
import { limits } from "./limits.ts";
import { paths } from "./paths.ts";

/**
 * Every endpoint, by noun: the table of contents of the service. The server pairs each with a function, the web app
 * calls through it, tests walk it, and the API reference is made from it.
 */

/**
 * Who may call: `anyone` needs no credential; `visitor` is anyone who acts in a workspace (a bearer, our own cookie, or
 * an API key that names the workspace); `key` is an API key alone, for a workspace that it names; `project` is an API
 * key that reads its whole project and names no workspace; `link` is whoever knows the address, which is the credential;
 * `admin` is whoever runs the server: its owner.
 */
export type Caller = "anyone" | "visitor" | "key" | "project" | "link" | "admin";

/** What comes back: one JSON object, a stream of server-sent events, plain text as it is made, or a file. */
export type AnswerKind = "json" | "events" | "text" | "bytes";

export type Endpoint = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** With `{name}` for each path parameter. */
  path: string;
  caller: Caller;
  /** One line for the API reference. */
  summary: string;
  params?: z.ZodMiniType;
  query?: z.ZodMiniType;
  body?: z.ZodMiniType;
  /** `limits.bodyBytes` where it is not given. A larger body may also take longer to arrive. */
  bodyBytesMax?: number;
  /** Requests per minute and network address, counted before the body is read. */
  perMinute?: number;
  /**
   * `otlp`: JSON or protobuf, by its type, and packed or not; `bytes`: any, read by the room itself; JSON whatever its
   * type where nothing is said.
   */
  takes?: "otlp" | "bytes";
  /** Whoever accepts `text/event-stream` is told as it goes on, by events; all others get one answer at the end. */
  orEvents?: true;
  /** The workspace of an API key that names none. */
  workspaceUnlessNamed?: string;
  kind: AnswerKind;
  /** The status of success. */
  status: 200 | 201 | 202;
  answer?: z.ZodMiniType;
};

const threadParams = z.object({ thread_id: anyId });
const messageParams = z.object({ thread_id: anyId, message_id: anyId });
const runParams = z.object({ run_id: anyId });
const fileParams = z.object({ file_id: anyId });
const userParams = z.object({ user_id: anyId });
const assistantParams = z.object({ assistant_id: anyId });

export const api = {
  "auth.signUpAnonymous": {
    ...paths["auth.signUpAnonymous"],
    caller: "anyone",
    kind: "json",
    status: 200,
    answer: auth.tokens,
    summary: "Become an anonymous visitor",
  },
  "auth.refresh": {
    ...paths["auth.refresh"],
    caller: "anyone",
    body: auth.refreshRequest,
    perMinute: limits.refreshesPerMinute,
    kind: "json",
    status: 200,
    answer: auth.tokens,
    summary: "Exchange a refresh token for an access token",
  },
  "auth.mint": {
    ...paths["auth.mint"],
    caller: "key",
    kind: "json",
    status: 200,
    answer: auth.mintedToken,
    summary: "Mint an access token for a user of yours",
  },
  "auth.openSession": {
    ...paths["auth.openSession"],
    caller: "anyone",
    body: auth.sessionRequest,
    perMinute: limits.sessionsPerMinute,
    kind: "json",
    status: 200,
    answer: auth.me,
    summary: "Open or confirm the web app's own session",
  },
  "auth.closeSession": {
    ...paths["auth.closeSession"],
    caller: "anyone",
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Close the web app's own session",
  },
  "auth.me": {
    ...paths["auth.me"],
    caller: "visitor",
    kind: "json",
    status: 200,
    answer: auth.me,
    summary: "Who the caller is",
  },

  "threads.list": {
    ...paths["threads.list"],
    caller: "visitor",
    query: threads.threadListQuery,
    kind: "json",
    status: 200,
    answer: z.object({ threads: z.array(threads.thread) }),
    summary: "List threads, newest message first",
  },
  "threads.create": {
    ...paths["threads.create"],
    caller: "visitor",
    body: threads.threadCreate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 201,
    answer: z.object({ thread_id: z.string() }),
    summary: "Make a thread",
  },
  "threads.claim": {
    ...paths["threads.claim"],
    caller: "visitor",
    body: threads.claimRequest,
    kind: "json",
    status: 200,
    answer: threads.claimed,
    summary: "Take over the threads of an anonymous visitor",
  },
  "threads.get": {
    ...paths["threads.get"],
    caller: "visitor",
    params: threadParams,
    kind: "json",
    status: 200,
    answer: z.object({ thread: threads.thread }),
    summary: "Read a thread",
  },
  "threads.update": {
    ...paths["threads.update"],
    caller: "visitor",
    params: threadParams,
    body: threads.threadUpdate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Rename, archive, pin or otherwise change a thread",
  },
  "threads.remove": {
    ...paths["threads.remove"],
    caller: "visitor",
    params: threadParams,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Move a thread to the trash",
  },
  "threads.restore": {
    ...paths["threads.restore"],
    caller: "visitor",
    params: threadParams,
    kind: "json",
    status: 200,
    answer: z.object({ thread: threads.thread }),
    summary: "Take a thread out of the trash",
  },
  "threads.askAgain": {
    ...paths["threads.askAgain"],
    caller: "visitor",
    params: threads.allowedToolParams,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Have a tool ask again in a thread",
  },

  "exports.thread": {
    ...paths["exports.thread"],
    caller: "visitor",
    params: threadParams,
    query: exports.threadExportQuery,
    kind: "bytes",
    status: 200,
    summary: "Take a thread out, as JSON or Markdown",
  },
  "exports.everything": {
    ...paths["exports.everything"],
    caller: "visitor",
    kind: "bytes",
    status: 200,
    summary: "Take every thread out, as a zip",
  },
  "imports.add": {
    ...paths["imports.add"],
    caller: "visitor",
    body: imports.importBody,
    takes: "bytes",
    kind: "events",
    status: 200,
    summary: "Bring threads in, from an export of this or another service",
  },

  "trash.list": {
    ...paths["trash.list"],
    caller: "visitor",
    query: threads.trashListQuery,
    kind: "json",
    status: 200,
    answer: z.object({ threads: z.array(threads.thread) }),
    summary: "List the threads in the trash, last thrown away first",
  },
  "trash.empty": {
    ...paths["trash.empty"],
    caller: "visitor",
    kind: "json",
    status: 200,
    answer: threads.trashEmptied,
    summary: "Delete everything in the trash for good",
  },
  "trash.remove": {
    ...paths["trash.remove"],
    caller: "visitor",
    params: threadParams,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Delete a thread of the trash for good",
  },

  "messages.list": {
    ...paths["messages.list"],
    caller: "visitor",
    params: threadParams,
    query: messages.messageListQuery,
    kind: "json",
    status: 200,
    answer: z.object({ messages: z.array(messages.message) }),
    summary: "List a thread's messages, newest first",
  },
  "messages.add": {
    ...paths["messages.add"],
    caller: "visitor",
    params: threadParams,
    body: messages.messageCreate,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "json",
    status: 201,
    answer: z.object({ message_id: z.string() }),
    summary: "Store a message",
  },
  "messages.update": {
    ...paths["messages.update"],
    caller: "visitor",
    params: messageParams,
    body: messages.messageUpdate,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Replace a message's content",
  },
  "messages.remove": {
    ...paths["messages.remove"],
    caller: "visitor",
    params: threadParams,
    query: messages.messagesRemoveQuery,
    body: messages.messagesRemove,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Delete messages",
  },
  "messages.feedback": {
    ...paths["messages.feedback"],
    caller: "visitor",
    params: messageParams,
    body: scores.feedbackCreate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    answer: scores.feedback,
    summary: "Rate a message up or down",
  },
  "messages.withdrawFeedback": {
    ...paths["messages.withdrawFeedback"],
    caller: "visitor",
    params: messageParams,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Take a rating back",
  },
  "messages.branch": {
    ...paths["messages.branch"],
    caller: "visitor",
    params: threadParams,
    query: messages.branchQuery,
    kind: "json",
    status: 200,
    answer: messages.branch,
    summary: "Read the visible branch of a thread",
  },
  "messages.setHead": {
    ...paths["messages.setHead"],
    caller: "visitor",
    params: threadParams,
    body: messages.headUpdate,
    kind: "json",
    status: 200,
    answer: z.object({ head_id: z.string() }),
    summary: "Show another branch",
  },

  "runs.start": {
    ...paths["runs.start"],
    caller: "visitor",
    params: threadParams,
    body: runs.runStart,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "json",
    status: 201,
    answer: runs.runStarted,
    summary: "Send a message, now (201) or in its turn (202), or answer one again",
  },
  "runs.get": {
    ...paths["runs.get"],
    caller: "visitor",
    params: runParams,
    kind: "json",
    status: 200,
    answer: z.object({ run: runs.run }),
    summary: "Read a run",
  },
  "runs.events": {
    ...paths["runs.events"],
    caller: "visitor",
    params: runParams,
    query: runs.eventsQuery,
    kind: "events",
    status: 200,
    summary: "Follow a run's numbered log",
  },
  "runs.continue": {
    ...paths["runs.continue"],
    caller: "visitor",
    params: runParams,
    body: runs.runContinue,
    kind: "json",
    status: 201,
    answer: runs.runStarted,
    summary: "Go on with an answer that was broken off, in the same message",
  },
  "runs.stop": {
    ...paths["runs.stop"],
    caller: "visitor",
    params: runParams,
    kind: "json",
    status: 200,
    answer: z.object({ run: runs.run }),
    summary: "Stop a run; what was said is kept",
  },
  "runs.approve": {
    ...paths["runs.approve"],
    caller: "visitor",
    params: runParams,
    body: runs.toolApproval,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    answer: z.object({ run: runs.run }),
    summary: "Allow or deny a tool call that waits for it",
  },
  "runs.giveResult": {
    ...paths["runs.giveResult"],
    caller: "visitor",
    params: runParams,
    body: runs.toolResult,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    answer: z.object({ run: runs.run }),
    summary: "Answer a tool call that the person or the page answers",
  },
  "runs.stream": {
    ...paths["runs.stream"],
    caller: "visitor",
    body: runs.runStream,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "text",
    status: 200,
    summary: "Stream a thread's title or an assistant's answer",
  },
  "runs.report": {
    ...paths["runs.report"],
    caller: "visitor",
    body: reports.runReport,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "json",
    status: 201,
    answer: reports.runReported,
    summary: "Record a run that was made elsewhere",
  },

  "queue.update": {
    ...paths["queue.update"],
    caller: "visitor",
    params: queue.queuedParams,
    body: messages.queuedUpdate,
    bodyBytesMax: limits.jsonBodyBytes,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Change the words of a message that waits for its turn",
  },
  "queue.remove": {
    ...paths["queue.remove"],
    caller: "visitor",
    params: queue.queuedParams,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Take a message out of the queue",
  },
  "queue.send": {
    ...paths["queue.send"],
    caller: "visitor",
    params: queue.queuedParams,
    kind: "json",
    status: 201,
    answer: runs.runStarted,
    summary: "Send a queued message now, where nothing is being written before it",
  },

  "traces.add": {
    ...paths["traces.add"],
    caller: "key",
    workspaceUnlessNamed: traces.telemetryWorkspace,
    body: traces.traceExport,
    bodyBytesMax: limits.traceBytes,
    takes: "otlp",
    kind: "json",
    status: 200,
    answer: traces.traceExported,
    summary: "Record runs by the spans of an application's telemetry",
  },

  "files.upload": {
    ...paths["files.upload"],
    caller: "visitor",
    body: files.uploadRequest,
    kind: "json",
    status: 201,
    answer: files.upload,
    summary: "Ask for an address to upload a file to",
  },
  "files.download": {
    ...paths["files.download"],
    caller: "visitor",
    body: files.downloadRequest,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    answer: files.download,
    summary: "Ask for an address to read a file from",
  },
  "files.list": {
    ...paths["files.list"],
    caller: "visitor",
    query: files.fileListQuery,
    kind: "json",
    status: 200,
    answer: files.fileList,
    summary: "List one's own files",
  },
  "files.get": {
    ...paths["files.get"],
    caller: "visitor",
    params: fileParams,
    kind: "json",
    status: 200,
    answer: files.storedFile,
    summary: "Read what is known of a file",
  },
  "files.remove": {
    ...paths["files.remove"],
    caller: "visitor",
    params: fileParams,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Delete a file of one's own",
  },
  "files.receive": {
    ...paths["files.receive"],
    caller: "link",
    params: fileParams,
    query: files.receiveQuery,
    takes: "bytes",
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Upload a file to the address that was given",
  },
  "files.read": {
    ...paths["files.read"],
    caller: "visitor",
    params: fileParams,
    query: files.readQuery,
    kind: "bytes",
    status: 200,
    summary: "Read a file of the workspace",
  },
  "files.thumbnail": {
    ...paths["files.thumbnail"],
    caller: "visitor",
    params: fileParams,
    kind: "bytes",
    status: 200,
    summary: "Read a small picture of a picture",
  },
  "files.open": {
    ...paths["files.open"],
    caller: "link",
    params: z.object({ file_id: anyId, file_secret: anyId }),
    query: files.openQuery,
    kind: "bytes",
    status: 200,
    summary: "Read a file by its address alone",
  },
  "files.pdfToImages": {
    ...paths["files.pdfToImages"],
    caller: "visitor",
    body: files.pdfRequest,
    bodyBytesMax: limits.pdfBodyBytes,
    kind: "json",
    status: 200,
    answer: files.pdfImages,
    orEvents: true,
    summary: "Turn a PDF's pages into images and text",
  },
  "files.openPage": {
    ...paths["files.openPage"],
    caller: "link",
    params: z.object({ page_id: anyId }),
    kind: "bytes",
    status: 200,
    summary: "Read the image of a PDF's page",
  },

  "scores.put": {
    ...paths["scores.put"],
    caller: "visitor",
    body: scores.scoreCreate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 201,
    answer: scores.scored,
    summary: "Score a thread, a message or a run",
  },
  "events.add": {
    ...paths["events.add"],
    caller: "visitor",
    body: events.eventsAdd,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 202,
    answer: events.eventsAccepted,
    summary: "Record what people do with the chat",
  },

  "projects.threads": {
    ...paths["projects.threads"],
    caller: "project",
    query: threads.threadListQuery,
    kind: "json",
    status: 200,
    answer: z.object({ threads: z.array(threads.thread) }),
    summary: "List the threads of every workspace",
  },
  "projects.messages": {
    ...paths["projects.messages"],
    caller: "project",
    params: threadParams,
    query: messages.messageListQuery,
    kind: "json",
    status: 200,
    answer: z.object({ messages: z.array(messages.message) }),
    summary: "List the messages of a thread of any workspace",
  },
  "projects.runs": {
    ...paths["projects.runs"],
    caller: "project",
    query: reports.projectRunQuery,
    kind: "json",
    status: 200,
    answer: reports.projectRunList,
    summary: "List the runs of every workspace, newest first",
  },
  "projects.run": {
    ...paths["projects.run"],
    caller: "project",
    params: runParams,
    kind: "json",
    status: 200,
    answer: reports.projectRun,
    summary: "Read a run of any workspace",
  },
  "projects.usage": {
    ...paths["projects.usage"],
    caller: "project",
    query: reports.usageQuery,
    kind: "json",
    status: 200,
    answer: reports.usageDays,
    summary: "Read runs, tokens and cost by day",
  },
  "projects.usagePeriod": {
    ...paths["projects.usagePeriod"],
    caller: "project",
    kind: "json",
    status: 200,
    answer: reports.usagePeriod,
    summary: "Read what was used this month",
  },
  "projects.scores": {
    ...paths["projects.scores"],
    caller: "project",
    query: scores.scoreListQuery,
    kind: "json",
    status: 200,
    answer: z.object({ scores: z.array(scores.score) }),
    summary: "List the scores of every workspace, newest first",
  },
  "projects.eraseUser": {
    ...paths["projects.eraseUser"],
    caller: "project",
    params: userParams,
    kind: "json",
    status: 200,
    answer: auth.erased,
    summary: "Erase a user and what they made, for good",
  },

  "search.find": {
    ...paths["search.find"],
    caller: "visitor",
    query: search.searchQuery,
    kind: "json",
    status: 200,
    answer: search.searchFound,
    summary: "Search titles, the messages of all branches and attached files",
  },

  "mcp.call": {
    ...paths["mcp.call"],
    caller: "project",
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Speak the Model Context Protocol with the server",
  },

  "live.follow": {
    ...paths["live.follow"],
    caller: "visitor",
    query: live.liveQuery,
    kind: "events",
    status: 200,
    summary: "Follow the workspace's changes and the runs in view",
  },
  "models.list": {
    ...paths["models.list"],
    caller: "visitor",
    kind: "json",
    status: 200,
    answer: models.modelList,
    summary: "The models that can be chosen",
  },

  "assistants.list": {
    ...paths["assistants.list"],
    caller: "visitor",
    kind: "json",
    status: 200,
    answer: assistants.assistantList,
    summary: "The assistants that can be chosen",
  },
  "assistants.get": {
    ...paths["assistants.get"],
    caller: "admin",
    params: assistantParams,
    kind: "json",
    status: 200,
    answer: z.object({ assistant: assistants.assistant, settings: assistants.assistantSettings }),
    summary: "Read an assistant with all its settings",
  },
  "assistants.create": {
    ...paths["assistants.create"],
    caller: "admin",
    body: assistants.assistantCreate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 201,
    answer: z.object({ assistant: assistants.assistant }),
    summary: "Make an assistant",
  },
  "assistants.update": {
    ...paths["assistants.update"],
    caller: "admin",
    params: assistantParams,
    body: assistants.assistantUpdate,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    answer: z.object({ assistant: assistants.assistant }),
    summary: "Change an assistant",
  },
  "assistants.reorder": {
    ...paths["assistants.reorder"],
    caller: "admin",
    body: assistants.assistantOrder,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Put the assistants in another order",
  },
  "assistants.remove": {
    ...paths["assistants.remove"],
    caller: "admin",
    params: assistantParams,
    kind: "json",
    status: 200,
    answer: empty,
    summary: "Delete an assistant; the default one becomes again what it was at the start",
  },
  "assistants.restore": {
    ...paths["assistants.restore"],
    caller: "admin",
    params: assistantParams,
    kind: "json",
    status: 200,
    answer: z.object({ assistant: assistants.assistant }),
    summary: "Bring a deleted assistant back",
  },
  "tools.list": {
    ...paths["tools.list"],
    caller: "admin",
    kind: "json",
    status: 200,
    answer: z.object({ tools: z.array(tools.toolInfo) }),
    summary: "The tools that an assistant can be given",
  },

  "erasure.everything": {
    ...paths["erasure.everything"],
    caller: "visitor",
    kind: "json",
    status: 200,
    answer: auth.erased,
    summary: "Erase everything that one has here, for good",
  },
} as const satisfies Record<keyof typeof paths, Endpoint>;

export type Api = typeof api;
export type EndpointName = keyof Api;

type Output<E, Key extends string> = E extends { [K in Key]: infer Schema extends z.ZodMiniType }
  ? z.output<Schema>
  : undefined;
type Input<E, Key extends string> = E extends { [K in Key]: infer Schema extends z.ZodMiniType }
  ? z.input<Schema>
  : undefined;

export type ParamsOf<N extends EndpointName> = Output<Api[N], "params">;
export type QueryOf<N extends EndpointName> = Output<Api[N], "query">;
export type BodyOf<N extends EndpointName> = Output<Api[N], "body">;
export type QueryInputOf<N extends EndpointName> = Input<Api[N], "query">;
export type BodyInputOf<N extends EndpointName> = Input<Api[N], "body">;
export type AnswerOf<N extends EndpointName> = Output<Api[N], "answer">;
