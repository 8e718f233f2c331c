/**
 * The error catalogue: every failure a client can meet. `error` is the protocol's text (programs of the protocol read
 * it), the key is our stable word for programs, `message` is a sentence for a person that says what to do, and
 * `retry` says whether the same request may succeed later; `chosen`, that the server is as its operator wants it, so
 * that a status of 500 and above is no fault of it.
 */
type Entry = { status: number; error: string; message: string; retry?: true; chosen?: true };

const catalogue = {
  "bad-request": {
    status: 400,
    error: "Schema validation error",
    message: "The request is not in the expected form. See details for the field and the remedy.",
  },
  "bad-json": {
    status: 400,
    error: "Malformed JSON",
    message: "The request body is not valid JSON in UTF-8. Send one JSON object.",
  },
  "bad-export": {
    status: 400,
    error: "Malformed OTLP export",
    message:
      "The body is no OTLP export, or is not packed as its Content-Encoding says. Send it with an OTLP exporter.",
  },
  "bad-cursor": {
    status: 400,
    error: "Invalid cursor",
    message: "The page marker is not one of ours. Start again from the first page.",
  },
  "parent-not-in-thread": {
    status: 400,
    error: "Parent message not found in thread",
    message: "The message being answered is not in this thread. Reload the thread and try again.",
  },
  "message-not-in-thread": {
    status: 400,
    error: "message_id must belong to thread_id",
    message: "This message is not in that thread. Name the thread that it is in.",
  },
  "address-not-allowed": {
    status: 400,
    error: "Address not allowed",
    message:
      "This server does not read that address. It reads public http and https addresses; the operator can name hosts of their own network.",
  },
  "attributes-too-large": {
    status: 400,
    error: "attributes must not exceed 16384 bytes",
    message: "The attributes and metadata of this report are larger than 16 KiB together. Leave some out.",
  },
  "bad-day-range": {
    status: 400,
    error: "Usage day range must span at most 366 days",
    message: "Ask for days that exist, the earlier one first, and for at most 366 of them.",
  },
  "invalid-response-format": {
    status: 400,
    error: "Invalid response format",
    message: "Ask for response_format vercel-ai-data-stream/v1.",
  },

  "not-signed-in": {
    status: 401,
    error: "Authorization header is missing",
    message: "Sign in, or ask for an anonymous token first.",
  },
  "unsupported-scheme": {
    status: 401,
    error: "Unsupported authorization scheme",
    message: "Send the credential as: Authorization: Bearer <token>.",
  },
  "token-expired": {
    status: 401,
    error: "Token expired",
    message: "The sign-in has expired. Refresh the token and try again.",
  },
  "invalid-token": {
    status: 403,
    error: "Invalid token",
    message: "This token was not issued here or has been withdrawn. Sign in again.",
  },
  "unknown-issuer": {
    status: 403,
    error: "Invalid token",
    message: "Tokens of this issuer are not taken here. The operator can add a rule for it.",
  },
  "wrong-audience": {
    status: 403,
    error: "Invalid token",
    message: "This token was issued for another audience. The operator can add a rule for it.",
  },
  "workspace-claim-missing": {
    status: 403,
    error: "Invalid token",
    message:
      "This token does not say which workspace it is for. The claim that the operator's rule names must have 1 to 255 characters without spaces.",
  },
  "unsupported-credential": {
    status: 403,
    error: "Unsupported authorization value",
    message: "Send an access token or an API key as the bearer.",
  },
  "invalid-api-key": {
    status: 403,
    error: "Invalid API key",
    message: "This API key is unknown, expired or revoked. Ask the operator for a new one.",
  },
  "invalid-user-header": {
    status: 403,
    error: "Invalid Aui-User-Id header",
    message: "Aui-User-Id must have 1 to 255 characters without spaces or control characters.",
  },
  "invalid-workspace-header": {
    status: 403,
    error: "Invalid Aui-Workspace-Id header",
    message:
      "Aui-Workspace-Id is required with an API key: 1 to 255 characters without spaces or control characters.",
  },
  "invalid-refresh-token": {
    status: 403,
    error: "Invalid refresh token",
    message: "This sign-in has ended. Start a new one.",
  },
  "backend-only": {
    status: 403,
    error: "This endpoint may only be accessed from the backend",
    message: "Call this with an API key from your server.",
  },
  "origin-not-allowed": {
    status: 403,
    error: "Origin not allowed",
    message: "Pages of this origin may not call this project. The operator can allow them.",
  },
  "fetching-off": {
    status: 403,
    error: "Fetching is switched off",
    message: "The operator has switched off the reading of addresses. Send the file itself.",
  },
  "not-allowed": {
    status: 403,
    error: "Not allowed",
    message: "Your role does not include this. Ask the operator.",
  },
  "link-expired": {
    status: 403,
    error: "Link expired",
    message: "This address was good for a while only. Open the chat again to get a new one.",
  },
  "anonymous-cannot-claim": {
    status: 403,
    error: "Anonymous sessions cannot claim threads",
    message: "Sign in first; then the threads that you had without an account can come along.",
  },
  "anonymous-off": {
    status: 403,
    error: "Anonymous access is not allowed",
    message: "The operator has switched off use without an account. Sign in.",
  },
  "invalid-owner-link": {
    status: 403,
    error: "Invalid owner link",
    message:
      "This owner's link is not valid any more. Use the one that the server printed at its last start.",
  },

  "not-found": { status: 404, error: "Not Found", message: "There is nothing at this address." },
  "thread-not-found": {
    status: 404,
    error: "Thread not found",
    message: "This thread does not exist or is not yours. It may have been deleted.",
  },
  "message-not-found": {
    status: 404,
    error: "Message not found",
    message: "This message does not exist or is not yours. It may have been deleted.",
  },
  "messages-not-found": {
    status: 404,
    error: "Messages not found",
    message: "None of these messages exists in this thread. They may have been deleted already.",
  },
  "queued-not-found": {
    status: 404,
    error: "Queued message not found",
    message: "This message does not wait any more. It has been sent or taken out.",
  },
  "run-not-found": {
    status: 404,
    error: "Run not found",
    message: "This run does not exist or is not yours.",
  },
  "file-not-found": {
    status: 404,
    error: "Attachment not found",
    message: "This file does not exist, is not yours, or was deleted.",
  },
  "no-thumbnail": {
    status: 404,
    error: "No thumbnail",
    message: "No small picture can be made of this file. Open the file itself.",
  },
  "call-not-found": {
    status: 404,
    error: "Tool call not found",
    message: "This answer has no such tool call. Reload the thread to see how it stands.",
  },
  "assistant-not-found": {
    status: 404,
    error: "Assistant not found",
    message: 'There is no assistant of this id here. Use "default".',
  },
  "too-many-assistants": {
    status: 409,
    error: "Too many assistants",
    message: "There are 100 assistants already. Delete one that nobody uses.",
  },
  "model-not-found": {
    status: 404,
    error: "Model not found",
    message: "No connected provider has this model. Choose another one.",
  },

  "method-not-allowed": {
    status: 405,
    error: "Method Not Allowed",
    message: "This address does not take this method.",
  },
  conflict: {
    status: 409,
    error: "Conflict",
    message: "This id is already in use for something else. Use a new id.",
  },
  "role-cannot-change": {
    status: 409,
    error: "Message role cannot change",
    message: "A stored message keeps its role. Send a new message instead.",
  },
  "run-not-continuable": {
    status: 409,
    error: "Run cannot be continued",
    message:
      "This answer is complete, or is being written or continued already. Ask for another answer instead.",
  },
  "call-answered": {
    status: 409,
    error: "Tool call is answered already",
    message: "This was answered already, perhaps in another tab. What was said first counts.",
  },
  "call-not-waiting": {
    status: 409,
    error: "Tool call does not wait for this",
    message:
      "This tool call does not wait for such an answer. Approvals decide whether a call is made; results answer a call that the person makes.",
  },
  "run-ended": {
    status: 409,
    error: "Run has ended",
    message: "This answer has ended and asks for nothing any more. Continue it, or ask again.",
  },
  "thread-busy": {
    status: 409,
    error: "Thread is busy",
    message: "An answer is still being written here. Wait for it or stop it, then try again.",
    retry: true,
  },
  "queue-full": {
    status: 409,
    error: "Queue is full",
    message: "Too much waits in this thread already. Wait until some of it is sent, or take something out.",
    retry: true,
  },
  "address-unreachable": {
    status: 422,
    error: "Address cannot be read",
    message:
      "Nothing that this server may read answers at that address. Check it, or send the file itself. A host of a private network must be named by the operator.",
    retry: true,
  },
  "address-refused": {
    status: 422,
    error: "Address refused",
    message:
      "What answers at that address does not hand the file out. Use an address that opens without signing in, or send the file itself.",
  },
  "fetched-wrong-type": {
    status: 415,
    error: "Wrong type at this address",
    message:
      "What stands at that address is of another type than is wanted here. Use the file's own address, not that of a page about it.",
  },
  "fetched-too-large": {
    status: 413,
    error: "Too much at this address",
    message: "What stands at that address is larger than the server takes. Use a smaller file.",
  },
  "file-already-stored": {
    status: 409,
    error: "Attachment already stored",
    message: "This address has taken another file already. Ask for a new one.",
  },
  "file-not-carried": {
    status: 404,
    error: "File not in the export",
    message: "This export does not hold the file. Export everything as a zip, and bring that in.",
  },
  "too-large": {
    status: 413,
    error: "Payload Too Large",
    message: "This is larger than the server takes. Shorten it or send it as a file.",
  },
  "file-too-large": {
    status: 413,
    error: "Attachment too large",
    message: "This file is larger than the server takes. Make it smaller, or ask the operator for more.",
  },
  "quota-full": {
    status: 413,
    error: "Storage quota reached",
    message: "Your files take all the space that you have here. Delete some in the library, then try again.",
  },
  "page-too-large": {
    status: 413,
    error: "Page Too Large",
    message: "These messages are too large for one page. Ask for fewer with limit, such as limit=10.",
  },
  "import-unknown": {
    status: 415,
    error: "Unknown import format",
    message:
      "This file is no export that is known here. Choose a Parlance export (its zip, or the JSON of one thread), or an export of ChatGPT or Claude (the zip as it came, or its conversations.json).",
  },
  "import-too-new": {
    status: 415,
    error: "Export of a newer version",
    message: "This export was written by a newer Parlance. Update this server, then bring it in.",
  },
  "import-damaged": {
    status: 400,
    error: "Damaged import file",
    message: "This file is damaged or was cut short. Download or copy it once more, and choose it again.",
  },
  "import-unsafe": {
    status: 413,
    error: "Import unpacks to too much",
    message:
      "This zip holds far more than an export would, or is packed in a way that none is. Choose the export as it was downloaded; a very large one can be brought in with the operator's cli import.",
  },
  "unsupported-type": {
    status: 415,
    error: "Unsupported Media Type",
    message: "Send the body as application/json; traces as application/x-protobuf too.",
  },
  "unsupported-encoding": {
    status: 415,
    error: "Unsupported content encoding",
    message: "Send the body as it is, or packed with gzip or deflate.",
  },
  "range-not-satisfiable": {
    status: 416,
    error: "Range Not Satisfiable",
    message: "The file does not have these bytes. Ask for others, or for all of it.",
  },
  "rate-limited": {
    status: 429,
    error: "rate_limited",
    message: "Too many requests in a short time. Wait for the seconds named in Retry-After.",
    retry: true,
  },
  "too-many-runs": {
    status: 429,
    error: "Too many concurrent runs",
    message:
      "Too many answers are being written for you at once. Wait for one to end, or stop one, then try again.",
    retry: true,
  },
  "too-many-transfers": {
    status: 429,
    error: "Too many transfers",
    message: "Exports or imports of yours are under way already. Wait for one to end, then try again.",
    retry: true,
  },
  "too-many-uploads": {
    status: 429,
    error: "Too many uploads at once",
    message: "Too many of your files are on their way at once. Wait for some to arrive, then try again.",
    retry: true,
  },
  "too-many-streams": {
    status: 429,
    error: "Too many open streams",
    message: "Too many connections are open from here. Close some windows, then try again.",
    retry: true,
  },

  "pdf-unreadable": {
    status: 422,
    error: "PDF cannot be read",
    message:
      "This is no PDF, or it is damaged. Open it in a program that shows PDFs, save it anew, and send that.",
  },
  "pdf-locked": {
    status: 422,
    error: "PDF is locked",
    message: "This PDF opens only with a password. Save it without one, and send that.",
  },
  "pdf-unsupported": {
    status: 422,
    error: "PDF is not supported",
    message:
      "This PDF is encrypted in a way that cannot be read here. Print it into a new PDF, and send that.",
  },
  "pdf-empty": {
    status: 422,
    error: "PDF is empty",
    message: "There is no page in this PDF. Check that it is the right file and was saved whole.",
  },
  "pdf-too-many-pages": {
    status: 413,
    error: "PDF has too many pages",
    message: "This PDF has more than 200 pages. Divide it, and send the part that matters.",
  },
  "pdf-too-large": {
    status: 413,
    error: "PDF is too large",
    message: "This PDF is larger than 25 MiB. Save it with smaller pictures, or send a part of it.",
  },
  "pdf-too-long": {
    status: 422,
    error: "PDF takes too long",
    message: "This PDF takes too long to read. Divide it, or print it into a new PDF, and send that.",
  },
  "pdf-too-complex": {
    status: 422,
    error: "PDF is too complex",
    message:
      "This PDF needs more memory than the server gives to one. Divide it, or print it into a new PDF, and send that.",
  },
  "too-many-pdfs": {
    status: 429,
    error: "Too many PDFs at once",
    message: "Too many PDFs are being read at once. Wait for one to be done, then try again.",
    retry: true,
  },

  internal: {
    status: 500,
    error: "Internal Server Error",
    message: "Something failed on the server. Nothing you wrote is lost; try again.",
    retry: true,
  },
  "request-timeout": {
    status: 408,
    error: "Request Timeout",
    message: "The request took too long to arrive. Check the connection, then try again.",
    retry: true,
  },
  "client-gone": {
    status: 499,
    error: "Client Closed Request",
    message: "The connection closed before the request was read.",
    retry: true,
  },
  "storage-full": {
    status: 507,
    error: "Insufficient Storage",
    message: "The server's disk is full. Ask the operator to free some space, then try again.",
    retry: true,
  },
  "storage-unavailable": {
    status: 503,
    error: "Service Unavailable",
    message:
      "The server cannot store anything now: its data folder is missing, replaced or read-only. Ask the operator to check the log, then try again.",
    retry: true,
  },
  maintenance: {
    status: 503,
    error: "Service Unavailable",
    message: "The server is busy or restarting. Try again in a moment.",
    retry: true,
  },
  "server-busy": {
    status: 503,
    error: "Service Unavailable",
    message: "The server is receiving too much at once. Try again in a moment.",
    retry: true,
    chosen: true,
  },
  "mcp-not-offered": {
    status: 501,
    error: "Not Implemented",
    message:
      "This server does not speak the Model Context Protocol. Read the project through /v1/projects instead.",
    chosen: true,
  },
  "sign-in-unavailable": {
    status: 503,
    error: "Service Unavailable",
    message: "The keys of the sign-in provider cannot be fetched at the moment. Try again in a moment.",
    retry: true,
  },

  "model-not-connected": {
    status: 503,
    error: "No model connected",
    message: "No language model is connected. The operator can connect one with OPENAI_BASE_URL.",
  },
  "provider-refused-key": {
    status: 502,
    error: "Model provider refused the key",
    message: "The model provider did not accept the key. The operator should check OPENAI_API_KEY.",
  },
  "provider-refused": {
    status: 502,
    error: "Model provider refused the request",
    message:
      "The model provider did not accept this request. Try another model, or ask the operator to check the log.",
  },
  "provider-not-a-model": {
    status: 502,
    error: "Model provider is a web page",
    message:
      "What answers at the model's address is a web page, not a model. The operator should check OPENAI_BASE_URL, which often ends in /v1.",
  },
  "provider-overloaded": {
    status: 503,
    error: "Model provider overloaded",
    message: "The model provider is overloaded. Try again in a moment.",
    retry: true,
  },
  "provider-unreachable": {
    status: 502,
    error: "Model provider unreachable",
    message: "The model provider cannot be reached. Try again, or ask the operator to check OPENAI_BASE_URL.",
    retry: true,
  },
  "provider-broke-off": {
    status: 502,
    error: "Model provider broke off",
    message: "The model provider ended the answer in the middle. What it said is kept; try again.",
    retry: true,
  },
  "provider-silent": {
    status: 504,
    error: "Model provider silent",
    message: "The model provider stopped answering. What it said is kept; try again.",
    retry: true,
  },
  "context-too-long": {
    status: 413,
    error: "Context too long",
    message:
      "This thread is longer than the model can read. Start a new thread or choose a model that reads more.",
  },
  "content-filtered": {
    status: 422,
    error: "Content filtered",
    message: "The model provider's filter stopped this answer. Say it in another way.",
  },
  "answer-too-long": {
    status: 413,
    error: "Answer too long",
    message: "The answer grew past what the server keeps or waits for, and was ended. Ask for a part of it.",
  },
  "too-many-steps": {
    status: 422,
    error: "Too many steps",
    message: "The assistant called tools too many times and was stopped. Ask for one thing at a time.",
  },
  "run-interrupted": {
    status: 503,
    error: "Run interrupted",
    message: "The server stopped in the middle of this answer. What was said is kept; try again.",
    retry: true,
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;

export const errors: Readonly<Record<ErrorCode, Entry>> = catalogue;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}

/** One thing wrong with a request: where it is (`body.title`), and what would be right. */
export type ErrorDetail = { path: string; message: string };

/** The body of every error answer, and of an error inside a stream. */
export type ErrorBody = {
  error: string;
  code: ErrorCode;
  message: string;
  request_id?: string;
  details?: ErrorDetail[];
};

/** The public body of `code`; `details` name fields, never internals. */
export function errorBody(code: ErrorCode, requestId?: string, details?: ErrorDetail[]): ErrorBody {
  const { error, message } = errors[code];
  return {
    error,
    code,
    message,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(details === undefined ? {} : { details }),
  };
}
