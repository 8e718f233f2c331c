/**
 * Every error that a client can get, by its code. `error` is the text of the hosted protocol, which its clients read.
 * `message` is for people and says what to do. `retry`: the same request may succeed later. `expected`: the server works as
 * configured, so the log does not count the 5xx status as a failure.
 */
type Entry = { status: number; error: string; message: string; retry?: true; expected?: true };

const catalogue = {
  "bad-request": {
    status: 400,
    error: "Schema validation error",
    message: "The request is not valid. The details name each wrong field and what it must be.",
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
      "The body is not an OTLP export, or does not match its Content-Encoding. Send it with an OTLP exporter.",
  },
  "bad-cursor": {
    status: 400,
    error: "Invalid cursor",
    message: "The page cursor is not valid. Start again from the first page.",
  },
  "parent-not-in-thread": {
    status: 400,
    error: "Parent message not found in thread",
    message: "The parent message is not in this chat. Reload the chat and try again.",
  },
  "message-not-in-thread": {
    status: 400,
    error: "message_id must belong to thread_id",
    message: "This message is not in that thread. Send the thread_id of its own thread.",
  },
  "address-not-allowed": {
    status: 400,
    error: "Address not allowed",
    message:
      "This server does not fetch that URL. It fetches public http and https URLs only. The operator can allow hosts of their own network.",
  },
  "attributes-too-large": {
    status: 400,
    error: "attributes must not exceed 16384 bytes",
    message: "The attributes and metadata of this report are larger than 16 KiB together. Send fewer.",
  },
  "bad-day-range": {
    status: 400,
    error: "Usage day range must span at most 366 days",
    message: "Choose valid dates, the earlier one first, and at most 366 days.",
  },
  "invalid-response-format": {
    status: 400,
    error: "Invalid response format",
    message: "Set response_format to vercel-ai-data-stream/v1.",
  },

  "not-signed-in": {
    status: 401,
    error: "Authorization header is missing",
    message: "Sign in, or get an anonymous token first.",
  },
  "unsupported-scheme": {
    status: 401,
    error: "Unsupported authorization scheme",
    message: "Send the credential as Authorization: Bearer <token>.",
  },
  "token-expired": {
    status: 401,
    error: "Token expired",
    message: "The sign-in has expired. Refresh the token and try again.",
  },
  "signed-out": {
    status: 401,
    error: "Signed out",
    message: "You have been signed out. Sign in again.",
  },
  "invalid-token": {
    status: 403,
    error: "Invalid token",
    message: "This token was not issued by this server or has been revoked. Sign in again.",
  },
  "unknown-issuer": {
    status: 403,
    error: "Invalid token",
    message: "This server does not accept tokens of this issuer. The operator can add a rule for it.",
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
      "This token does not name a workspace. The claim that the operator configured must have 1 to 255 characters without spaces.",
  },
  "unsupported-credential": {
    status: 403,
    error: "Unsupported authorization value",
    message: "Send an access token or an API key as the bearer token.",
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
    message: "You have been signed out. Sign in again.",
  },
  "backend-only": {
    status: 403,
    error: "This endpoint may only be accessed from the backend",
    message: "Call this from your own server, with an API key.",
  },
  "origin-not-allowed": {
    status: 403,
    error: "Origin not allowed",
    message: "Web pages of this origin may not use this server. The operator can allow the origin.",
  },
  "host-not-allowed": {
    status: 403,
    error: "Host not allowed",
    message: "This server does not know the host name of this address. The operator can add it.",
  },
  "fetching-off": {
    status: 403,
    error: "Fetching is disabled",
    message: "The operator has disabled fetching of URLs. Send the file itself.",
  },
  "not-allowed": {
    status: 403,
    error: "Not allowed",
    message: "You do not have permission to do this. Ask the operator.",
  },
  "link-expired": {
    status: 403,
    error: "Link expired",
    message: "This link has expired. Open the chat again to get a new one.",
  },
  "anonymous-cannot-claim": {
    status: 403,
    error: "Anonymous sessions cannot claim threads",
    message: "Sign in first. Then you can move the chats that you created without an account.",
  },
  "anonymous-off": {
    status: 403,
    error: "Anonymous access is not allowed",
    message: "The operator has disabled use without an account. Sign in.",
  },
  "wrong-password": {
    status: 403,
    error: "Wrong e-mail address or password",
    message: "The e-mail address or the password is wrong.",
  },
  "account-suspended": {
    status: 403,
    error: "Account suspended",
    message: "This account is suspended. Ask an administrator.",
  },
  "approval-pending": {
    status: 403,
    error: "Approval pending",
    message: "An administrator has to approve this account first.",
  },
  "owner-has-account": {
    status: 403,
    error: "Owner has an account",
    message: "The owner of this server has an account, so this link no longer works. Sign in instead.",
  },
  "invitation-invalid": {
    status: 403,
    error: "Invalid invitation",
    message: "This invitation was used, has expired or was revoked. Ask for a new one.",
  },
  "invitation-needed": {
    status: 403,
    error: "Invitation needed",
    message: "You need an invitation to create an account here. Ask an administrator.",
  },
  "reset-link-invalid": {
    status: 403,
    error: "Invalid reset link",
    message: "This link was used or has expired. Ask an administrator for a new one.",
  },
  "invalid-owner-link": {
    status: 403,
    error: "Invalid owner link",
    message: "This owner link is no longer valid. Use the one that the server printed when it last started.",
  },

  "not-found": { status: 404, error: "Not Found", message: "There is nothing at this address." },
  "thread-not-found": {
    status: 404,
    error: "Thread not found",
    message: "This chat does not exist or is not yours. It may have been deleted.",
  },
  "message-not-found": {
    status: 404,
    error: "Message not found",
    message: "This message does not exist or is not yours. It may have been deleted.",
  },
  "messages-not-found": {
    status: 404,
    error: "Messages not found",
    message: "None of these messages exists in this chat. They may have been deleted already.",
  },
  "queued-not-found": {
    status: 404,
    error: "Queued message not found",
    message: "This message is no longer in the queue. It has been sent or removed.",
  },
  "run-not-found": {
    status: 404,
    error: "Run not found",
    message: "This run does not exist or is not yours.",
  },
  "comparison-not-found": {
    status: 404,
    error: "Comparison not found",
    message: "This comparison does not exist. Its chat may have been deleted.",
  },
  "file-not-found": {
    status: 404,
    error: "Attachment not found",
    message: "This file does not exist, is not yours, or was deleted.",
  },
  "no-thumbnail": {
    status: 404,
    error: "No thumbnail",
    message: "There is no thumbnail for this file. Open the file itself.",
  },
  "call-not-found": {
    status: 404,
    error: "Tool call not found",
    message: "This answer has no such tool call. Reload the chat to see its current state.",
  },
  "invitation-not-found": {
    status: 404,
    error: "Invitation not found",
    message: "There is no such invitation. It may have been used or revoked.",
  },
  "session-not-found": {
    status: 404,
    error: "Session not found",
    message: "You have no such session. It may have ended already.",
  },
  "assistant-not-found": {
    status: 404,
    error: "Assistant not found",
    message: 'There is no assistant with this id. Use "default".',
  },
  "too-many-assistants": {
    status: 409,
    error: "Too many assistants",
    message: "There are already 100 assistants. Delete one that nobody uses.",
  },
  "provider-not-found": {
    status: 404,
    error: "Provider not found",
    message: "This model provider does not exist. It may have been removed.",
  },
  "provider-changed": {
    status: 409,
    error: "Provider has changed",
    message: "Someone changed this model provider meanwhile. Reload it, then make your change again.",
  },
  "too-many-providers": {
    status: 409,
    error: "Too many providers",
    message: "There are already 50 model providers. Remove one that nobody uses.",
  },
  "secret-not-set": {
    status: 409,
    error: "Secret not set",
    message:
      "Keys cannot be stored yet: several servers can use this database, and no secret is set that all of them know. Set it on each server, then try again.",
  },
  "model-not-found": {
    status: 404,
    error: "Model not found",
    message: "No connected provider has this model. Choose another model.",
  },

  "method-not-allowed": {
    status: 405,
    error: "Method Not Allowed",
    message: "This URL does not support this method.",
  },
  "email-taken": {
    status: 409,
    error: "E-mail address taken",
    message: "Somebody has an account with this e-mail address already. Sign in, or use another address.",
  },
  "already-joined": {
    status: 409,
    error: "Account exists",
    message: "You are signed in with an account, or have asked for one already. Sign out first.",
  },
  "no-account": {
    status: 409,
    error: "No account",
    message: "Create your account first.",
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
    message: "This answer is complete, or is already being written or continued. Regenerate it instead.",
  },
  "call-answered": {
    status: 409,
    error: "Tool call already answered",
    message: "This was already answered, perhaps in another tab. The first answer counts.",
  },
  "call-not-waiting": {
    status: 409,
    error: "Tool call is not waiting for this",
    message:
      "This tool call is not waiting for this kind of answer. Send an approval for a call that needs one, and a result for a call that the person or the page carries out.",
  },
  "run-ended": {
    status: 409,
    error: "Run has ended",
    message: "This answer has ended and no longer waits for you. Continue or regenerate it.",
  },
  "thread-busy": {
    status: 409,
    error: "Thread is busy",
    message: "An answer is still being written in this chat. Wait for it or stop it, then try again.",
    retry: true,
  },
  "queue-full": {
    status: 409,
    error: "Queue is full",
    message: "The queue of this chat is full. Wait until a message is sent, or remove one.",
    retry: true,
  },
  "address-unreachable": {
    status: 422,
    error: "Address cannot be fetched",
    message:
      "The server cannot reach that URL. Check it, or send the file itself. The operator must allow hosts of a private network.",
    retry: true,
  },
  "address-refused": {
    status: 422,
    error: "Address refused",
    message:
      "That URL does not return the file. Use a URL that opens without signing in, or send the file itself.",
  },
  "fetched-wrong-type": {
    status: 415,
    error: "Wrong type at this address",
    message:
      "The file at that URL has the wrong type. Use the URL of the file itself, not of a page about it.",
  },
  "fetched-too-large": {
    status: 413,
    error: "Too much at this address",
    message: "The file at that URL is larger than the server allows. Use a smaller file.",
  },
  "file-already-stored": {
    status: 409,
    error: "Attachment already stored",
    message: "Another file was already uploaded to this URL. Request a new upload URL.",
  },
  "file-not-carried": {
    status: 404,
    error: "File not in the export",
    message: "This export does not contain the file. If you chose a JSON file, the zip may contain it.",
  },
  "too-large": {
    status: 413,
    error: "Payload Too Large",
    message: "This is larger than the server allows. Shorten it or send it as a file.",
  },
  "file-too-large": {
    status: 413,
    error: "Attachment too large",
    message:
      "This file is larger than the server allows. Make it smaller, or ask the operator to raise the limit.",
  },
  "quota-full": {
    status: 413,
    error: "Storage quota reached",
    message: "Your files and chats use all of your storage. Delete some and empty the trash, then try again.",
  },
  "page-too-large": {
    status: 413,
    error: "Page Too Large",
    message: "These messages are too large for one page. Set a lower limit, such as limit=10.",
  },
  "import-unknown": {
    status: 415,
    error: "Unknown import format",
    message:
      "This file is not a supported export. Choose a Parlance export (the zip, or the JSON of one chat) or an export of ChatGPT or Claude (the original zip, or its conversations.json).",
  },
  "import-too-new": {
    status: 415,
    error: "Export of a newer version",
    message: "This export was made by a newer version of Parlance. Update this server, then import it.",
  },
  "import-damaged": {
    status: 400,
    error: "Damaged import file",
    message: "This file is damaged or incomplete. Download or copy it again, then choose the new copy.",
  },
  "import-unsafe": {
    status: 413,
    error: "Import is too large when unpacked",
    message:
      "This zip is too large or too strongly compressed for an export. Choose the export as it was downloaded. The operator can import a very large one with the cli import command.",
  },
  "import-too-many-files": {
    status: 413,
    error: "Import has too many files",
    message:
      "This zip has more than 100,000 files. Remove those that the conversations do not need, or ask the operator to import it with the cli import command.",
  },
  "unsupported-type": {
    status: 415,
    error: "Unsupported Media Type",
    message: "Send the body as application/json. Traces may also be application/x-protobuf.",
  },
  "unsupported-encoding": {
    status: 415,
    error: "Unsupported content encoding",
    message: "Send the body uncompressed, or compressed with gzip or deflate.",
  },
  "range-not-satisfiable": {
    status: 416,
    error: "Range Not Satisfiable",
    message: "The file does not have these bytes. Request another range, or the whole file.",
  },
  "rate-limited": {
    status: 429,
    error: "rate_limited",
    message: "Too many requests in a short time. Wait for the number of seconds in Retry-After.",
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
    message: "Your other exports or imports are still running. Wait for one to end, then try again.",
    retry: true,
  },
  "too-many-uploads": {
    status: 429,
    error: "Too many uploads at once",
    message: "You are uploading too many files at once. Wait for some to finish, then try again.",
    retry: true,
  },
  "too-many-streams": {
    status: 429,
    error: "Too many open streams",
    message: "You have too many open connections. Close some tabs, then try again.",
    retry: true,
  },

  "pdf-unreadable": {
    status: 422,
    error: "PDF cannot be read",
    message:
      "This is not a PDF, or it is damaged. Open it in a PDF viewer, save it again, and send the new file.",
  },
  "pdf-locked": {
    status: 422,
    error: "PDF is locked",
    message: "This PDF needs a password. Save it without a password and send that.",
  },
  "pdf-unsupported": {
    status: 422,
    error: "PDF is not supported",
    message: "This PDF uses an encryption that is not supported. Print it to a new PDF and send that.",
  },
  "pdf-empty": {
    status: 422,
    error: "PDF is empty",
    message: "This PDF has no pages. Check that it is the right file and that it is complete.",
  },
  "pdf-too-many-pages": {
    status: 413,
    error: "PDF has too many pages",
    message: "This PDF has more than 200 pages. Split it and send the part that you need.",
  },
  "pdf-too-large": {
    status: 413,
    error: "PDF is too large",
    message: "This PDF is larger than 25 MiB. Save it with smaller images, or send a part of it.",
  },
  "pdf-too-long": {
    status: 422,
    error: "PDF takes too long",
    message: "This PDF takes too long to read. Split it, or print it to a new PDF, and send that.",
  },
  "pdf-too-complex": {
    status: 422,
    error: "PDF is too complex",
    message: "This PDF needs too much memory to read. Split it, or print it to a new PDF, and send that.",
  },
  "too-many-pdfs": {
    status: 429,
    error: "Too many PDFs at once",
    message: "Too many PDFs are being read at once. Wait for one to finish, then try again.",
    retry: true,
  },

  internal: {
    status: 500,
    error: "Internal Server Error",
    message: "Something failed on the server. Nothing that you wrote is lost. Try again.",
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
      "The server cannot store data now: its data folder is missing, replaced or read-only. Ask the operator to check the log, then try again.",
    retry: true,
  },
  maintenance: {
    status: 503,
    error: "Service Unavailable",
    message: "The server is busy or restarting. Try again in a moment.",
    retry: true,
  },
  "shutting-down": {
    status: 503,
    error: "Service Unavailable",
    message: "The server is restarting and starts no answers now. Try again in a moment.",
    retry: true,
    expected: true,
  },
  "server-busy": {
    status: 503,
    error: "Service Unavailable",
    message: "The server is receiving too much at once. Try again in a moment.",
    retry: true,
    expected: true,
  },
  "mcp-not-offered": {
    status: 501,
    error: "Not Implemented",
    message:
      "This server does not support the Model Context Protocol. Use the /v1/projects endpoints instead.",
    expected: true,
  },
  "sign-in-unavailable": {
    status: 503,
    error: "Service Unavailable",
    message: "The keys of the sign-in provider cannot be fetched. Try again in a moment.",
    retry: true,
  },

  "model-not-connected": {
    status: 503,
    error: "No model connected",
    message: "No language model is connected. Ask the person who runs this server to connect one.",
  },
  "provider-refused-key": {
    status: 502,
    error: "Model provider refused the key",
    message: "The model provider did not accept the key. Ask the person who runs this server to check it.",
  },
  "provider-no-credit": {
    status: 502,
    error: "Model provider has no credit",
    message:
      "The account at the model provider has no credit left. Ask the person who runs this server to check its billing.",
  },
  "provider-model-unknown": {
    status: 502,
    error: "Model provider does not have the model",
    message: "The model provider does not have this model, or the key may not use it. Choose another model.",
  },
  "provider-no-models": {
    status: 502,
    error: "Model provider lists no models",
    message: "The model provider lists no chat models. Enter the name of a model.",
  },
  "provider-refused": {
    status: 502,
    error: "Model provider refused the request",
    message:
      "The model provider did not accept this request. Try another model, or ask the operator to check the log.",
  },
  "provider-not-a-model": {
    status: 502,
    error: "Model provider is not a model API",
    message:
      "The model's URL leads to a web page or to nothing, and not to a model API. Ask the person who runs this server to check the URL.",
  },
  "provider-rate-limited": {
    status: 429,
    error: "Model provider's rate limit",
    message: "The rate limit of the model provider is reached. Wait a moment, then try again.",
    retry: true,
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
    message: "The model provider cannot be reached. Try again, or tell the person who runs this server.",
    retry: true,
  },
  "provider-broke-off": {
    status: 502,
    error: "Model provider stopped mid-answer",
    message: "The model provider stopped in the middle of the answer. The text so far is kept. Try again.",
    retry: true,
  },
  "provider-silent": {
    status: 504,
    error: "Model provider timed out",
    message: "The model provider stopped responding. The text so far is kept. Try again.",
    retry: true,
  },
  "context-too-long": {
    status: 413,
    error: "Context too long",
    message:
      "This chat is too long for the model. Start a new chat, or choose a model with a larger context window.",
  },
  "content-filtered": {
    status: 422,
    error: "Content filtered",
    message: "The model provider's content filter stopped this answer. Rephrase your message.",
  },
  "answer-too-long": {
    status: 413,
    error: "Answer too long",
    message: "The answer exceeded the server's size or time limit and was ended. Ask for a shorter answer.",
  },
  "too-many-steps": {
    status: 422,
    error: "Too many steps",
    message: "The assistant called tools too many times and was stopped. Ask for one thing at a time.",
  },
  "run-interrupted": {
    status: 503,
    error: "Run interrupted",
    message: "The server stopped in the middle of this answer. The text so far is kept. Try again.",
    retry: true,
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;

export const errors: Readonly<Record<ErrorCode, Entry>> = catalogue;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}

/** One invalid field of a request: its path (`body.title`) and what it must be. */
export type ErrorDetail = { path: string; message: string };

/** The body of every error response, and of an error inside a stream. */
export type ErrorBody = {
  error: string;
  code: ErrorCode;
  message: string;
  request_id?: string;
  details?: ErrorDetail[];
};

/** The public error body for `code`. `details` names the invalid fields, never internals. */
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
