import { entriesOf, type CodeIn, type ErrorEntry, type ErrorTable } from "./facts/error-table.ts";
import { nouns, type FactsOf } from "./facts/nouns.ts";

/** The errors of several nouns, and of nouns without a file of their facts. `ErrorTable` says what a row has. */
const catalogue = {
  400: {
    "bad-request":
      "Schema validation error | The request isn’t valid. See the details for each field that’s wrong.",
    "bad-json": "Malformed JSON | The request body isn’t valid JSON in UTF-8. Send one JSON object.",
    "bad-cursor": "Invalid cursor | The page cursor isn’t valid. Start again from the first page.",
    "parent-not-in-thread":
      "Parent message not found in thread | The parent message isn’t in this chat. Reload the chat and try again.",
    "message-not-in-thread":
      "message_id must belong to thread_id | This message isn’t in that thread. Send the thread_id it belongs to.",
    "address-not-allowed":
      "This server only fetches public http and https URLs. An administrator can allow hosts on their own network.",
    "invalid-response-format": "Set response_format to vercel-ai-data-stream/v1.",
    "import-damaged":
      "Damaged import file | This file is damaged or incomplete. Download or copy it again, then choose the new copy.",
  },
  "400, other clients": {
    "provider-not-usable":
      "Nothing that people could sign in with answers at this address. Check it, and that this server can reach it.",
    "bad-day-range":
      "Usage day range must span at most 366 days | Choose valid dates, the earlier one first, and at most 366 days.",
    "no-embeddings": "This provider has no embeddings. Choose a model of another provider.",
    "bad-export":
      "Malformed OTLP export | The body isn’t an OTLP export, or doesn’t match its Content-Encoding. Send it with an OTLP exporter.",
    // Not 429: with 400, clients store the message without a lease.
    "too-many-leases":
      "Too many open leases | Too many answers are being written in this workspace. Store the message without open_run.",
    "attributes-too-large":
      "attributes must not exceed 16384 bytes | The attributes and metadata of this report exceed 16 KiB. Send fewer.",
  },
  401: {
    "not-signed-in": "Authorization header is missing | You’re not signed in. Sign in and try again.",
    "unsupported-scheme":
      "Unsupported authorization scheme | Send the credential as Authorization: Bearer <token>.",
    "token-expired": "Your sign-in has expired. Refresh the token and try again.",
    "signed-out": "You have been signed out. Sign in again.",
    "invalid-personal-key":
      "Incorrect API key provided | This key is invalid, expired or revoked. Create a new one in the settings, under API keys.",
  },
  402: {
    // Not 429, which clients of models retry.
    "budget-used": "Budget used up | Your budget is used up. An administrator can raise it.",
  },
  403: {
    "invalid-token": "This token has been revoked or wasn’t issued by this server. Sign in again.",
    "unknown-issuer":
      "Invalid token | This server doesn’t accept tokens from this issuer. An administrator can add a rule for it.",
    "wrong-audience":
      "Invalid token | This token was issued for a different audience. An administrator can add a rule for it.",
    "workspace-claim-missing":
      "Invalid token | This token doesn’t name a workspace. The claim set by the administrator must have 1 to 255 characters without spaces.",
    "unsupported-credential":
      "Unsupported authorization value | Send an access token or API key as the bearer token.",
    "invalid-api-key":
      "Invalid API key | This API key is invalid, expired or revoked. Ask an administrator for a new one.",
    "invalid-user-header":
      "Invalid Aui-User-Id header | Aui-User-Id must have 1 to 255 characters without spaces or control characters.",
    "user-id-of-account":
      "Invalid user id | This user id belongs to an account of this server. Name your user by an id of your own.",
    "invalid-workspace-header":
      "Invalid Aui-Workspace-Id header | Aui-Workspace-Id is required with an API key: 1 to 255 characters without spaces or control characters.",
    "invalid-refresh-token": "You have been signed out. Sign in again.",
    "backend-only":
      "This endpoint may only be accessed from the backend | Call this from your own server with an API key.",
    "origin-not-allowed": "Web pages from this origin can’t use this server. An administrator can allow it.",
    "host-not-allowed":
      "This server doesn’t recognize the host name in this address. An administrator can add it.",
    "fetching-off":
      "Fetching is disabled | Fetching URLs is turned off on this server. Upload the file instead.",
    "model-not-local":
      "Only models in this server’s own network may answer here. Choose another model, or change that.",
    "model-not-allowed":
      "You don’t have access to this model. Choose another one, or ask an administrator for access.",
    "assistant-not-allowed":
      "You don’t have access to this assistant. Choose another one, or ask an administrator for access.",
    "files-not-allowed": "You don’t have permission to upload files. Ask an administrator for it.",
    "sharing-not-allowed": "You don’t have permission to share chats by link. Ask an administrator for it.",
    "sharing-off":
      "Sharing is disabled | Sharing by link is turned off on this server. Only the owner can turn it on.",
    "keys-not-allowed":
      "API keys not allowed | You don’t have permission to use API keys. Ask an administrator for it.",
    "not-allowed": "You don’t have permission to do this. Ask an administrator or the owner.",
    "link-expired": "This link has expired. Open the chat again to get a new one.",
    "anonymous-cannot-claim":
      "Anonymous sessions cannot claim threads | Sign in first to move the chats you created without an account.",
    "anonymous-off": "Anonymous access is not allowed | This server requires an account. Sign in.",
    "wrong-password": "Wrong e-mail address or password | The e-mail address or the password is wrong.",
    "directory-refused": "Wrong user name or password | The user name or the password is wrong.",
    "second-factor-needed": "Enter the code of your authenticator app, or a recovery code.",
    "proxy-not-trusted":
      "No trusted proxy | No proxy that this server trusts has signed you in. Sign in another way.",
    "wrong-code": "The code is wrong or was used already. Wait for the next one and try again.",
    "second-factor-required": "This server requires a second factor. Set it up to continue.",
    "account-deleted":
      "An administrator has deleted this account. Until it is gone, you can only export what is in it.",
    "account-suspended": "This account is suspended. Ask an administrator.",
    "approval-pending": "An administrator must approve this account first.",
    "confirmation-sent": "A new link was sent to the e-mail address of this account. Open it and sign in.",
    "owner-has-account":
      "Owner has an account | The owner of this server has an account, so this link no longer works. Sign in instead.",
    "invitation-invalid":
      "Invalid invitation | This invitation was used, revoked or has expired. Ask for a new one.",
    "invitation-needed": "You need an invitation to create an account here. Ask an administrator.",
    "passkey-refused": "This passkey wasn’t accepted. Try another passkey, or sign in another way.",
    "confirmation-needed": "Confirm that it’s you first: enter your password, or sign in again.",
    "sign-in-expired": "Sign-in expired | This sign-in was already used or took too long. Start again.",
    "sign-in-failed":
      "Sign-in failed | The sign-in with this provider failed. Try again, or ask an administrator.",
    "email-not-verified":
      "E-mail address not verified | The provider hasn’t verified your e-mail address. Confirm it there and try again, or ask an administrator.",
    "email-domain-not-allowed":
      "E-mail domain not allowed | People with this e-mail address can’t sign in with this provider. Use your work address.",
    "reset-link-invalid":
      "Invalid reset link | This link was used or has expired. Ask an administrator for a new one.",
    "invalid-owner-link":
      "This owner link is no longer valid. Use the one the server printed when it last started.",
    "share-locked": "Password required | This chat is protected. Open the link again and enter its password.",
    "thread-read-only": "Read-only thread | You can only read this chat.",
    "provider-private":
      "Private address | Only the owner can connect to an address in the server’s own network. Choose another model, or ask the owner to save this provider again.",
    "call-not-yours": "Tool call of another person | Only the person who asked can allow this.",
  },
  404: {
    "not-found": "Not Found | There’s nothing at this address.",
    "thread-not-found": "This chat doesn’t exist, or you don’t have access to it. It may have been deleted.",
    "message-not-found":
      "This message doesn’t exist, or you don’t have access to it. It may have been deleted.",
    "messages-not-found": "None of these messages are in this chat. They may already have been deleted.",
    "queued-not-found":
      "Queued message not found | This message is no longer in the queue. It was sent or removed.",
    "summary-not-found":
      "This summary no longer exists. It was removed, or a message it covered was changed.",
    "run-not-found": "This run doesn’t exist, or you don’t have access to it.",
    "comparison-not-found": "This comparison doesn’t exist. Its chat may have been deleted.",
    "file-not-found":
      "Attachment not found | This file doesn’t exist, was deleted, or you don’t have access to it.",
    "no-thumbnail": "This file has no thumbnail. Open the file itself.",
    "picture-not-found": "This picture doesn’t exist, or was replaced by another one.",
    "call-not-found":
      "Tool call not found | This answer has no such tool call. Reload the chat to see where it stands.",
    "key-not-found": "API key not found | This key doesn’t exist. It may have been revoked.",
    "invitation-not-found": "This invitation doesn’t exist. It may have been used or revoked.",
    "sign-in-provider-not-found":
      "Sign-in provider not found | This sign-in provider doesn’t exist. It may have been removed.",
    "proxy-identity-not-found":
      "No connection to the proxy | This account isn’t connected to the proxy. Reload the page.",
    "second-factor-not-found": "This account has no second factor.",
    "passkey-not-found": "This passkey doesn’t exist. It may have been removed.",
    "person-not-found": "This person doesn’t exist. Their account may have been deleted.",
    "app-not-found": "This app doesn’t exist.",
    "jwt-rule-not-found": "Rule not found | This rule doesn’t exist. It may have been removed.",
    "group-not-found": "This group doesn’t exist. It may have been deleted.",
    "budget-not-found": "This person or group doesn’t exist. It may have been deleted.",
    "session-not-found": "This session doesn’t exist. It may already have ended.",
    "assistant-not-found": 'This assistant doesn’t exist. Use "default".',
    "share-not-found":
      "Shared chat not found | This link doesn’t work. It may have expired, or the person who shared it may have ended it.",
    "member-not-found": "Person or group not found | This person or group isn’t here any more.",
    "provider-not-found": "This provider doesn’t exist. It may have been removed.",
    "model-not-found": "No connected provider has this model. Choose another model.",
    "file-not-carried":
      "File not in the export | This export doesn’t contain the file. If you chose a JSON file, try the zip instead.",
  },
  "404, other clients": {
    "lease-not-found":
      "Run not found | There’s no such lease in this thread. Its message may have been deleted.",
  },
  405: {
    "method-not-allowed": "Method Not Allowed | This URL doesn’t support this method.",
  },
  "408, retry": {
    "request-timeout":
      "Request Timeout | The request took too long to arrive. Check your connection, then try again.",
  },
  409: {
    "nothing-to-summarize":
      "There’s nothing to summarize right now. The chat is too short, has no language model, or is already being summarized.",
    "app-exists": "There is already an app with this name. Choose another name.",
    "too-many-origins": "An app can list 100 origins. Remove one that you don’t need.",
    "group-exists": "There is already a group with this name. Choose another name.",
    "too-many-groups": "You’ve reached the limit of 2,000 groups. Delete one you don’t need.",
    "group-has-claim":
      "Group has a claim | A sign-in provider decides who belongs to this group. Change its members there.",
    "nothing-to-share": "This chat has no finished messages to share yet.",
    "too-many-members": "A chat can be shared with 100 people and groups. Remove one first.",
    "too-many-shares": "Too many links | You’ve reached the limit of 500 links. Revoke one you don’t need.",
    "too-many-pins":
      "Too many pinned messages | A chat can have 20 pinned messages, with 40,000 characters of text in all. Unpin another one, or pin a shorter one.",
    "too-many-personal-keys":
      "Too many API keys | You’ve reached the limit of 50 keys. Revoke one you don’t need.",
    "proxy-account-exists":
      "Account exists, proxy not connected | There is already an account with this e-mail address. Sign in to it as before, or ask the operator to connect such accounts.",
    "account-exists":
      "There is already an account with this e-mail address. Sign in to it as before, then connect this provider on the account page of the settings.",
    "identity-taken":
      "This identity belongs to another account. Sign out at the provider and choose another one.",
    "email-taken":
      "E-mail address taken | Someone already has an account with this e-mail address. Sign in, or use another address.",
    "no-account": "Create your account first.",
    conflict: "This ID is already in use. Use a new one.",
    "role-cannot-change":
      "Message role cannot change | A stored message keeps its role. Send a new message instead.",
    "run-not-continuable":
      "Run cannot be continued | This answer is complete or still being written. Regenerate it instead.",
    "call-answered":
      "Tool call already answered | This was already answered, possibly in another tab. The first answer counts.",
    "call-not-waiting":
      "Tool call is not waiting for this | This tool call isn’t waiting for this kind of answer. Send an approval for a call that needs one, and a result for a call that the person or the page carries out.",
    "run-ended":
      "Run has ended | This answer has ended and is no longer waiting for you. Continue or regenerate it.",
    "thread-temporary": "Thread is temporary | This chat is temporary. Keep it first.",
    "file-already-stored":
      "Attachment already stored | A file was already uploaded to this URL. Request a new upload URL.",
  },
  "409, other clients": {
    "second-factor-exists":
      "Your account already has a second factor. Remove it before you set up another one.",
    "last-sign-in-method":
      "Last way to sign in | This is the only way to sign in for you or for an owner. Set up another one first.",
    "secret-not-set":
      "Keys can’t be stored yet: several servers can use this database, so they need a shared secret. Set it on every server, then try again.",
    "mail-not-set": "No mail server | This server can’t send e-mail. Ask an administrator for a link.",
    "already-joined":
      "Account exists | You’re signed in to an account or have already asked for one. Sign out first.",
    "provider-changed":
      "Provider has changed | Someone else changed this provider. Reload it, then make your change again.",
    "too-many-providers": "You’ve reached the limit of 50 providers. Remove one you don’t need.",
    "too-many-assistants": "You’ve reached the limit of 100 assistants. Delete one you don’t need.",
    "public-url-not-set":
      "PUBLIC_URL not set | Links in e-mails need the address of this server, which isn’t set. Ask the owner to set it.",
    "too-many-passkeys": "You’ve reached the limit of 50 passkeys. Remove one you don’t use.",
    "passkeys-not-here":
      "Passkeys not possible here | Passkeys need an address with https and a host name. On the same machine, localhost works too.",
    "last-owner": "This is the only owner. Make someone else an owner first.",
    "lease-ended":
      "run_ended | This lease has ended. Store the message without lease_id if it has to change again.",
    "lease-mismatch": "lease_mismatch | This isn’t the lease of this message. Another client writes it now.",
  },
  "409, retry": {
    "thread-busy":
      "Thread is busy | An answer is still being written in this chat. Wait for it to finish or stop it, then try again.",
    "queue-full": "Queue is full | This chat’s queue is full. Wait until a message is sent, or remove one.",
  },
  "409, retry, other clients": {
    "lease-taken":
      "run_in_progress | Another client is writing this message. Wait until it ends its lease or sends no more heartbeats.",
  },
  413: {
    "fetched-too-large":
      "Too much at this address | The file at that URL is too large for this server. Use a smaller file.",
    "too-large": "Payload Too Large | This is too large for this server. Shorten it or send it as a file.",
    "file-too-large":
      "Attachment too large | This file is too large for this server. Make it smaller, or ask an administrator to raise the limit.",
    "member-quota-full":
      "Share of the storage used up | You have added as much to this person’s chats as one person may. Continue in a chat of your own.",
    "quota-full":
      "Storage quota reached | You’ve used all your storage. Delete some chats or files, empty the trash, then try again.",
    "page-too-large":
      "Page Too Large | These messages are too large for one page. Set a lower limit, such as limit=10.",
    "import-unsafe":
      "Import is too large when unpacked | This zip is too large when unpacked. Choose the export as it was downloaded. An administrator can import very large exports with the cli import command.",
    "import-too-many-files":
      "Import has too many files | This zip has more than 100,000 files. Remove any the conversations don’t need, or ask an administrator to import it with the cli import command.",
    "pdf-too-many-pages":
      "PDF has too many pages | This PDF has more than 200 pages. Split it and send the part you need.",
    "pdf-too-large":
      "PDF is too large | This PDF is larger than 25 MiB. Save it with smaller images, or send part of it.",
    "context-too-long":
      "This message is too long for the model. Shorten it or its files, or choose a model with a larger context window.",
    "answer-too-long": "This answer hit the server’s size or time limit. Ask for something shorter.",
  },
  415: {
    "fetched-wrong-type":
      "Wrong type at this address | The file at that URL has the wrong type. Use a direct link to the file, not to a page about it.",
    "import-unknown":
      "Unknown import format | This file isn’t a supported export. Choose one of the files in the list.",
    "import-html": "Export as a web page | This is a web page. Export it as JSON.",
    "import-in-use": "Database in use | Open WebUI was running when this was copied. Stop it and copy again.",
    "import-of-several":
      "Export of several people | This file has the chats of several people. An administrator can import it.",
    "import-too-new":
      "Export of a newer version | This export is from a newer version of Parlance. Update this server, then import it.",
    "unsupported-type":
      "Unsupported Media Type | Send the body as application/json. Traces may also be application/x-protobuf.",
    "unsupported-encoding":
      "Unsupported content encoding | Send the body uncompressed, or compressed with gzip or deflate.",
  },
  416: {
    "range-not-satisfiable":
      "Range Not Satisfiable | The file doesn’t have these bytes. Request another range or the whole file.",
  },
  422: {
    "picture-invalid":
      "picture: the bytes are not a picture that can be read | This file isn’t a picture. Choose a PNG, JPEG or WebP.",
    "address-refused":
      "That URL doesn’t return the file. Use a URL that opens without signing in, or upload the file instead.",
    "pdf-unreadable":
      "PDF cannot be read | This isn’t a PDF, or it’s damaged. Open it in a PDF viewer, save it again, and send the new file.",
    "pdf-locked": "PDF is locked | This PDF is password-protected. Save it without a password and send that.",
    "pdf-unsupported":
      "PDF is not supported | This PDF’s encryption isn’t supported. Print it to a new PDF and send that.",
    "pdf-empty":
      "PDF is empty | This PDF has no pages. Check that it’s the right file and that it’s complete.",
    "pdf-too-long":
      "PDF takes too long | This PDF takes too long to read. Split it or print it to a new PDF, then send that.",
    "pdf-too-complex":
      "PDF is too complex | This PDF takes too much memory to read. Split it or print it to a new PDF, then send that.",
    "content-filtered":
      "The model provider’s content filter stopped this answer. Try rephrasing your message.",
    "too-many-steps": "The assistant made too many tool calls. Ask for one thing at a time.",
  },
  "422, retry": {
    "address-unreachable":
      "Address cannot be fetched | Can’t reach that URL. Check it, or upload the file instead. Hosts on a private network must be allowed by an administrator.",
  },
  "429, retry": {
    "too-many-attempts":
      "rate_limited | Too many wrong attempts. Wait before you try again, or sign in another way.",
    "rate-limited": "rate_limited | Too many requests. Wait a moment, then try again.",
    "too-many-runs":
      "Too many concurrent runs | You have too many answers in progress. Wait for one to finish or stop one, then try again.",
    "budget-wait":
      "Budget reserved | Answers in progress may use what is left of the budget. Wait for one to finish, then try again.",
    "too-many-transfers":
      "Your other exports or imports are still running. Wait for one to finish, then try again.",
    "too-many-uploads":
      "Too many uploads at once | You’re uploading too many files at once. Wait for some to finish, then try again.",
    "too-many-streams":
      "Too many open streams | You have too many open connections. Close some tabs, then try again.",
    "too-many-pdfs":
      "Too many PDFs at once | Too many PDFs are being read at once. Wait for one to finish, then try again.",
    "provider-rate-limited":
      "Model provider's rate limit | The model provider’s rate limit was reached. Wait a moment, then try again.",
  },
  "499, retry": {
    "client-gone": "Client Closed Request | The connection closed before the request was read.",
  },
  "500, retry": {
    "check-failed":
      "The check could not be finished. The server's log says why | The check couldn’t be finished. The server’s log says why; the command “doctor” does the same check.",
    internal: "Internal Server Error | Something went wrong on the server. Your work is saved. Try again.",
  },
  "501, expected": {
    "mcp-not-offered":
      "Not Implemented | This server doesn’t support the Model Context Protocol. Use the /v1/projects endpoints instead.",
  },
  502: {
    "provider-refused-key":
      "Model provider refused the key | The model provider rejected the API key. Ask an administrator to check it.",
    "provider-no-credit":
      "Model provider has no credit | The model provider’s account is out of credit. Ask an administrator to check its billing.",
    "provider-model-unknown":
      "Model provider does not have the model | The provider doesn’t have this model, or the API key can’t use it. Choose another model.",
    "provider-no-models":
      "Model provider lists no models | The provider lists no chat models. Enter a model ID.",
    "provider-refused":
      "Model provider refused the request | The model provider rejected this request. Try another model, or ask an administrator to check the log.",
    "provider-not-a-model":
      "Model provider is not a model API | The provider’s URL isn’t a model API. Ask an administrator to check it.",
  },
  "502, retry": {
    "provider-unreachable":
      "Model provider unreachable | Can’t reach the model provider. Try again, or let an administrator know.",
    "provider-broke-off":
      "Model provider stopped mid-answer | The model provider stopped mid-answer. Everything so far is saved.",
  },
  "502, retry, expected": {
    "summary-failed": "The model didn’t write a summary. Nothing was changed. Try again in a moment.",
  },
  "503, retry": {
    "storage-unavailable":
      "Service Unavailable | The server can’t save data right now: its data folder is missing, replaced or read-only. Ask an administrator to check the log.",
    maintenance: "Service Unavailable | The server is busy or restarting. Try again in a moment.",
    "sign-in-unavailable": "Service Unavailable | Can’t reach the sign-in provider. Try again in a moment.",
    "provider-overloaded":
      "Model provider overloaded or faulty | The model provider is overloaded or has a fault. Try again in a moment.",
    "run-interrupted": "The server stopped during this answer. Everything so far is saved.",
  },
  "503, retry, expected": {
    "shutting-down":
      "Service Unavailable | The server is restarting and can’t start new answers. Try again in a moment.",
    "server-busy": "Service Unavailable | The server is busy. Try again in a moment.",
  },
  "504, retry": {
    "provider-silent":
      "Model provider timed out | The model provider stopped responding. Everything so far is saved.",
  },
  "507, retry": {
    "storage-full":
      "Insufficient Storage | The server’s disk is full. Ask an administrator to free up space, then try again.",
  },
} as const satisfies ErrorTable<CodeIn<FactsOf<"errors">>>;

export type ErrorCode = CodeIn<typeof catalogue | FactsOf<"errors">>;

/** Every error that a client can get, by its code. */
export const errors = Object.fromEntries(
  [...nouns.map((noun) => noun.errors), catalogue].flatMap(entriesOf),
) as Readonly<Record<ErrorCode, ErrorEntry>>;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}

/** Whether the same request may succeed later. */
export function isRetryable(code: ErrorCode): boolean {
  return errors[code].retry === true;
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
  /** Until when the same request fails, if that is known: an ISO 8601 instant. */
  until?: string;
};

/** The public error body for `code`. `details` names the invalid fields, never internals. */
export function errorBody(
  code: ErrorCode,
  requestId?: string,
  { details, until }: Pick<ErrorBody, "details" | "until"> = {},
): ErrorBody {
  return {
    error: errors[code].error,
    code,
    message: errorMessage(code, until),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(details === undefined ? {} : { details }),
    ...(until === undefined ? {} : { until }),
  };
}

/** The English message, which says until when the request fails. */
export function errorMessage(code: ErrorCode, until?: string): string {
  const { message } = errors[code];
  return until === undefined ? message : `${message} This lasts until ${until}.`;
}
