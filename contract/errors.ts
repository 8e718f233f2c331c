/**
 * Every error that a client can get, by its code. `error` is the text of the hosted protocol, which its clients read.
 * `message` is for people and says what to do. `retry`: the same request may succeed later. `expected`: the server works as
 * configured, so the log does not count the 5xx status as a failure. `otherClients`: our own pages never get it, so they do not
 * load its text.
 */
type Entry = {
  status: number;
  error: string;
  message: string;
  retry?: true;
  expected?: true;
  otherClients?: true;
};

const catalogue = {
  "bad-request": {
    status: 400,
    error: "Schema validation error",
    message: "The request isn’t valid. See the details for each field that’s wrong.",
  },
  "bad-json": {
    status: 400,
    error: "Malformed JSON",
    message: "The request body isn’t valid JSON in UTF-8. Send one JSON object.",
  },
  "bad-export": {
    status: 400,
    error: "Malformed OTLP export",
    message:
      "The body isn’t an OTLP export, or doesn’t match its Content-Encoding. Send it with an OTLP exporter.",
    otherClients: true,
  },
  "bad-cursor": {
    status: 400,
    error: "Invalid cursor",
    message: "The page cursor isn’t valid. Start again from the first page.",
  },
  "provider-not-usable": {
    status: 400,
    error: "Provider not usable",
    message:
      "Nothing that people could sign in with answers at this address. Check it, and that this server can reach it.",
  },
  "parent-not-in-thread": {
    status: 400,
    error: "Parent message not found in thread",
    message: "The parent message isn’t in this chat. Reload the chat and try again.",
  },
  "message-not-in-thread": {
    status: 400,
    error: "message_id must belong to thread_id",
    message: "This message isn’t in that thread. Send the thread_id it belongs to.",
  },
  "address-not-allowed": {
    status: 400,
    error: "Address not allowed",
    message:
      "This server only fetches public http and https URLs. An administrator can allow hosts on their own network.",
  },
  // Not 429: with 400, clients store the message without a lease.
  "too-many-leases": {
    status: 400,
    error: "Too many open leases",
    message: "Too many answers are being written in this workspace. Store the message without open_run.",
    otherClients: true,
  },
  "attributes-too-large": {
    status: 400,
    error: "attributes must not exceed 16384 bytes",
    message: "The attributes and metadata of this report exceed 16 KiB. Send fewer.",
    otherClients: true,
  },
  "bad-day-range": {
    status: 400,
    error: "Usage day range must span at most 366 days",
    message: "Choose valid dates, the earlier one first, and at most 366 days.",
  },
  "no-embeddings": {
    status: 400,
    error: "No embeddings",
    message: "This provider has no embeddings. Choose a model of another provider.",
  },
  "invalid-response-format": {
    status: 400,
    error: "Invalid response format",
    message: "Set response_format to vercel-ai-data-stream/v1.",
  },

  "not-signed-in": {
    status: 401,
    error: "Authorization header is missing",
    message: "You’re not signed in. Sign in and try again.",
  },
  "unsupported-scheme": {
    status: 401,
    error: "Unsupported authorization scheme",
    message: "Send the credential as Authorization: Bearer <token>.",
  },
  "token-expired": {
    status: 401,
    error: "Token expired",
    message: "Your sign-in has expired. Refresh the token and try again.",
  },
  "signed-out": {
    status: 401,
    error: "Signed out",
    message: "You have been signed out. Sign in again.",
  },
  // Not 429, which clients of models retry.
  "budget-used": {
    status: 402,
    error: "Budget used up",
    message: "Your budget is used up. An administrator can raise it.",
  },
  "invalid-token": {
    status: 403,
    error: "Invalid token",
    message: "This token has been revoked or wasn’t issued by this server. Sign in again.",
  },
  "unknown-issuer": {
    status: 403,
    error: "Invalid token",
    message: "This server doesn’t accept tokens from this issuer. An administrator can add a rule for it.",
  },
  "wrong-audience": {
    status: 403,
    error: "Invalid token",
    message: "This token was issued for a different audience. An administrator can add a rule for it.",
  },
  "workspace-claim-missing": {
    status: 403,
    error: "Invalid token",
    message:
      "This token doesn’t name a workspace. The claim set by the administrator must have 1 to 255 characters without spaces.",
  },
  "unsupported-credential": {
    status: 403,
    error: "Unsupported authorization value",
    message: "Send an access token or API key as the bearer token.",
  },
  "invalid-personal-key": {
    status: 401,
    error: "Incorrect API key provided",
    message: "This key is invalid, expired or revoked. Create a new one in the settings, under API keys.",
  },
  "invalid-api-key": {
    status: 403,
    error: "Invalid API key",
    message: "This API key is invalid, expired or revoked. Ask an administrator for a new one.",
  },
  "invalid-user-header": {
    status: 403,
    error: "Invalid Aui-User-Id header",
    message: "Aui-User-Id must have 1 to 255 characters without spaces or control characters.",
  },
  "user-id-of-account": {
    status: 403,
    error: "Invalid user id",
    message: "This user id belongs to an account of this server. Name your user by an id of your own.",
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
    message: "Call this from your own server with an API key.",
  },
  "origin-not-allowed": {
    status: 403,
    error: "Origin not allowed",
    message: "Web pages from this origin can’t use this server. An administrator can allow it.",
  },
  "host-not-allowed": {
    status: 403,
    error: "Host not allowed",
    message: "This server doesn’t recognize the host name in this address. An administrator can add it.",
  },
  "fetching-off": {
    status: 403,
    error: "Fetching is disabled",
    message: "Fetching URLs is turned off on this server. Upload the file instead.",
  },
  "model-not-local": {
    status: 403,
    error: "Model not local",
    message:
      "Only models in this server’s own network may answer here. Choose another model, or change that.",
  },
  "model-not-allowed": {
    status: 403,
    error: "Model not allowed",
    message: "You don’t have access to this model. Choose another one, or ask an administrator for access.",
  },
  "assistant-not-allowed": {
    status: 403,
    error: "Assistant not allowed",
    message:
      "You don’t have access to this assistant. Choose another one, or ask an administrator for access.",
  },
  "files-not-allowed": {
    status: 403,
    error: "Files not allowed",
    message: "You don’t have permission to upload files. Ask an administrator for it.",
  },
  "sharing-not-allowed": {
    status: 403,
    error: "Sharing not allowed",
    message: "You don’t have permission to share chats by link. Ask an administrator for it.",
  },
  "sharing-off": {
    status: 403,
    error: "Sharing is disabled",
    message: "Sharing by link is turned off on this server. Only the owner can turn it on.",
  },
  "keys-not-allowed": {
    status: 403,
    error: "API keys not allowed",
    message: "You don’t have permission to use API keys. Ask an administrator for it.",
  },
  "not-allowed": {
    status: 403,
    error: "Not allowed",
    message: "You don’t have permission to do this. Ask an administrator or the owner.",
  },
  "link-expired": {
    status: 403,
    error: "Link expired",
    message: "This link has expired. Open the chat again to get a new one.",
  },
  "anonymous-cannot-claim": {
    status: 403,
    error: "Anonymous sessions cannot claim threads",
    message: "Sign in first to move the chats you created without an account.",
  },
  "anonymous-off": {
    status: 403,
    error: "Anonymous access is not allowed",
    message: "This server requires an account. Sign in.",
  },
  "wrong-password": {
    status: 403,
    error: "Wrong e-mail address or password",
    message: "The e-mail address or the password is wrong.",
  },
  "directory-refused": {
    status: 403,
    error: "Wrong user name or password",
    message: "The user name or the password is wrong.",
  },
  "second-factor-needed": {
    status: 403,
    error: "Second factor needed",
    message: "Enter the code of your authenticator app, or a recovery code.",
  },
  "proxy-not-trusted": {
    status: 403,
    error: "No trusted proxy",
    message: "No proxy that this server trusts has signed you in. Sign in another way.",
  },
  "too-many-attempts": {
    status: 429,
    error: "rate_limited",
    message: "Too many wrong attempts. Wait before you try again, or sign in another way.",
    retry: true,
  },
  "wrong-code": {
    status: 403,
    error: "Wrong code",
    message: "The code is wrong or was used already. Wait for the next one and try again.",
  },
  "second-factor-required": {
    status: 403,
    error: "Second factor required",
    message: "This server requires a second factor. Set it up to continue.",
  },
  "account-deleted": {
    status: 403,
    error: "Account deleted",
    message:
      "An administrator has deleted this account. Until it is gone, you can only export what is in it.",
  },
  "account-suspended": {
    status: 403,
    error: "Account suspended",
    message: "This account is suspended. Ask an administrator.",
  },
  "approval-pending": {
    status: 403,
    error: "Approval pending",
    message: "An administrator must approve this account first.",
  },
  "confirmation-sent": {
    status: 403,
    error: "Confirmation sent",
    message: "A new link was sent to the e-mail address of this account. Open it and sign in.",
  },
  "owner-has-account": {
    status: 403,
    error: "Owner has an account",
    message: "The owner of this server has an account, so this link no longer works. Sign in instead.",
  },
  "invitation-invalid": {
    status: 403,
    error: "Invalid invitation",
    message: "This invitation was used, revoked or has expired. Ask for a new one.",
  },
  "invitation-needed": {
    status: 403,
    error: "Invitation needed",
    message: "You need an invitation to create an account here. Ask an administrator.",
  },
  "passkey-refused": {
    status: 403,
    error: "Passkey refused",
    message: "This passkey wasn’t accepted. Try another passkey, or sign in another way.",
  },
  "confirmation-needed": {
    status: 403,
    error: "Confirmation needed",
    message: "Confirm that it’s you first: enter your password, or sign in again.",
  },
  "sign-in-expired": {
    status: 403,
    error: "Sign-in expired",
    message: "This sign-in was already used or took too long. Start again.",
  },
  "sign-in-failed": {
    status: 403,
    error: "Sign-in failed",
    message: "The sign-in with this provider failed. Try again, or ask an administrator.",
  },
  "email-not-verified": {
    status: 403,
    error: "E-mail address not verified",
    message:
      "The provider hasn’t verified your e-mail address. Confirm it there and try again, or ask an administrator.",
  },
  "email-domain-not-allowed": {
    status: 403,
    error: "E-mail domain not allowed",
    message: "People with this e-mail address can’t sign in with this provider. Use your work address.",
  },
  "reset-link-invalid": {
    status: 403,
    error: "Invalid reset link",
    message: "This link was used or has expired. Ask an administrator for a new one.",
  },
  "invalid-owner-link": {
    status: 403,
    error: "Invalid owner link",
    message: "This owner link is no longer valid. Use the one the server printed when it last started.",
  },

  "not-found": { status: 404, error: "Not Found", message: "There’s nothing at this address." },
  "thread-not-found": {
    status: 404,
    error: "Thread not found",
    message: "This chat doesn’t exist, or you don’t have access to it. It may have been deleted.",
  },
  "message-not-found": {
    status: 404,
    error: "Message not found",
    message: "This message doesn’t exist, or you don’t have access to it. It may have been deleted.",
  },
  "messages-not-found": {
    status: 404,
    error: "Messages not found",
    message: "None of these messages are in this chat. They may already have been deleted.",
  },
  "queued-not-found": {
    status: 404,
    error: "Queued message not found",
    message: "This message is no longer in the queue. It was sent or removed.",
  },
  "summary-not-found": {
    status: 404,
    error: "Summary not found",
    message: "This summary no longer exists. It was removed, or a message it covered was changed.",
  },
  "nothing-to-summarize": {
    status: 409,
    error: "Nothing to summarize",
    message:
      "There’s nothing to summarize right now. The chat is too short, has no language model, or is already being summarized.",
  },
  "summary-failed": {
    status: 502,
    error: "Summary failed",
    message: "The model didn’t write a summary. Nothing was changed. Try again in a moment.",
    retry: true,
    expected: true,
  },
  "lease-not-found": {
    status: 404,
    error: "Run not found",
    message: "There’s no such lease in this thread. Its message may have been deleted.",
    otherClients: true,
  },
  "run-not-found": {
    status: 404,
    error: "Run not found",
    message: "This run doesn’t exist, or you don’t have access to it.",
  },
  "comparison-not-found": {
    status: 404,
    error: "Comparison not found",
    message: "This comparison doesn’t exist. Its chat may have been deleted.",
  },
  "file-not-found": {
    status: 404,
    error: "Attachment not found",
    message: "This file doesn’t exist, was deleted, or you don’t have access to it.",
  },
  "no-thumbnail": {
    status: 404,
    error: "No thumbnail",
    message: "This file has no thumbnail. Open the file itself.",
  },
  "picture-not-found": {
    status: 404,
    error: "Picture not found",
    message: "This picture doesn’t exist, or was replaced by another one.",
  },
  "picture-invalid": {
    status: 422,
    error: "picture: the bytes are not a picture that can be read",
    message: "This file isn’t a picture. Choose a PNG, JPEG or WebP.",
  },
  "check-failed": {
    status: 500,
    retry: true,
    error: "The check could not be finished. The server's log says why",
    message:
      "The check couldn’t be finished. The server’s log says why; the command “doctor” does the same check.",
  },
  "call-not-found": {
    status: 404,
    error: "Tool call not found",
    message: "This answer has no such tool call. Reload the chat to see where it stands.",
  },
  "key-not-found": {
    status: 404,
    error: "API key not found",
    message: "This key doesn’t exist. It may have been revoked.",
  },
  "invitation-not-found": {
    status: 404,
    error: "Invitation not found",
    message: "This invitation doesn’t exist. It may have been used or revoked.",
  },
  "sign-in-provider-not-found": {
    status: 404,
    error: "Sign-in provider not found",
    message: "This sign-in provider doesn’t exist. It may have been removed.",
  },
  "proxy-identity-not-found": {
    status: 404,
    error: "No connection to the proxy",
    message: "This account isn’t connected to the proxy. Reload the page.",
  },
  "second-factor-not-found": {
    status: 404,
    error: "Second factor not found",
    message: "This account has no second factor.",
  },
  "passkey-not-found": {
    status: 404,
    error: "Passkey not found",
    message: "This passkey doesn’t exist. It may have been removed.",
  },
  "person-not-found": {
    status: 404,
    error: "Person not found",
    message: "This person doesn’t exist. Their account may have been deleted.",
  },
  "app-not-found": {
    status: 404,
    error: "App not found",
    message: "This app doesn’t exist.",
  },
  "app-exists": {
    status: 409,
    error: "App exists",
    message: "There is already an app with this name. Choose another name.",
  },
  "too-many-origins": {
    status: 409,
    error: "Too many origins",
    message: "An app can list 100 origins. Remove one that you don’t need.",
  },
  "jwt-rule-not-found": {
    status: 404,
    error: "Rule not found",
    message: "This rule doesn’t exist. It may have been removed.",
  },
  "group-not-found": {
    status: 404,
    error: "Group not found",
    message: "This group doesn’t exist. It may have been deleted.",
  },
  "budget-not-found": {
    status: 404,
    error: "Budget not found",
    message: "This person or group doesn’t exist. It may have been deleted.",
  },
  "group-exists": {
    status: 409,
    error: "Group exists",
    message: "There is already a group with this name. Choose another name.",
  },
  "too-many-groups": {
    status: 409,
    error: "Too many groups",
    message: "You’ve reached the limit of 2,000 groups. Delete one you don’t need.",
  },
  "group-has-claim": {
    status: 409,
    error: "Group has a claim",
    message: "A sign-in provider decides who belongs to this group. Change its members there.",
  },
  "session-not-found": {
    status: 404,
    error: "Session not found",
    message: "This session doesn’t exist. It may already have ended.",
  },
  "assistant-not-found": {
    status: 404,
    error: "Assistant not found",
    message: 'This assistant doesn’t exist. Use "default".',
  },
  "share-not-found": {
    status: 404,
    error: "Shared chat not found",
    message: "This link doesn’t work. It may have expired, or the person who shared it may have ended it.",
  },
  "share-locked": {
    status: 403,
    error: "Password required",
    message: "This chat is protected. Open the link again and enter its password.",
  },
  "nothing-to-share": {
    status: 409,
    error: "Nothing to share",
    message: "This chat has no finished messages to share yet.",
  },
  "thread-read-only": {
    status: 403,
    error: "Read-only thread",
    message: "You can only read this chat.",
  },
  "member-not-found": {
    status: 404,
    error: "Person or group not found",
    message: "This person or group isn’t here any more.",
  },
  "too-many-members": {
    status: 409,
    error: "Too many members",
    message: "A chat can be shared with 100 people and groups. Remove one first.",
  },
  "too-many-shares": {
    status: 409,
    error: "Too many links",
    message: "You’ve reached the limit of 500 links. Revoke one you don’t need.",
  },
  "too-many-pins": {
    status: 409,
    error: "Too many pinned messages",
    message:
      "A chat can have 20 pinned messages, with 40,000 characters of text in all. Unpin another one, or pin a shorter one.",
  },
  "too-many-personal-keys": {
    status: 409,
    error: "Too many API keys",
    message: "You’ve reached the limit of 50 keys. Revoke one you don’t need.",
  },
  "too-many-assistants": {
    status: 409,
    error: "Too many assistants",
    message: "You’ve reached the limit of 100 assistants. Delete one you don’t need.",
  },
  "label-not-found": {
    status: 404,
    error: "Folder or tag not found",
    message: "This folder or tag doesn’t exist. It may have been deleted.",
  },
  "label-name-taken": {
    status: 409,
    error: "Name is taken",
    message: "There is a folder or tag with this name already. Choose another name.",
  },
  "too-many-labels": {
    status: 409,
    error: "Too many folders or tags",
    message: "You’ve reached the limit of 200 folders and 200 tags. Delete one you don’t need.",
  },
  "prompt-not-found": {
    status: 404,
    error: "Prompt not found",
    message: "This prompt doesn’t exist. It may have been deleted.",
  },
  "too-many-prompts": {
    status: 409,
    error: "Too many prompts",
    message: "You’ve reached the limit of 100 prompts. Delete one you don’t need.",
  },
  "provider-not-found": {
    status: 404,
    error: "Provider not found",
    message: "This provider doesn’t exist. It may have been removed.",
  },
  "provider-changed": {
    status: 409,
    error: "Provider has changed",
    message: "Someone else changed this provider. Reload it, then make your change again.",
  },
  "provider-private": {
    status: 403,
    error: "Private address",
    message:
      "Only the owner can connect to an address in the server’s own network. Choose another model, or ask the owner to save this provider again.",
  },
  "too-many-providers": {
    status: 409,
    error: "Too many providers",
    message: "You’ve reached the limit of 50 providers. Remove one you don’t need.",
  },
  "secret-not-set": {
    status: 409,
    error: "Secret not set",
    message:
      "Keys can’t be stored yet: several servers can use this database, so they need a shared secret. Set it on every server, then try again.",
  },
  "model-not-found": {
    status: 404,
    error: "Model not found",
    message: "No connected provider has this model. Choose another model.",
  },

  "method-not-allowed": {
    status: 405,
    error: "Method Not Allowed",
    message: "This URL doesn’t support this method.",
  },
  "proxy-account-exists": {
    status: 409,
    error: "Account exists, proxy not connected",
    message:
      "There is already an account with this e-mail address. Sign in to it as before, or ask the operator to connect such accounts.",
  },
  "account-exists": {
    status: 409,
    error: "Account exists",
    message:
      "There is already an account with this e-mail address. Sign in to it as before, then connect this provider on the account page of the settings.",
  },
  "public-url-not-set": {
    status: 409,
    error: "PUBLIC_URL not set",
    message: "Links in e-mails need the address of this server, which isn’t set. Ask the owner to set it.",
  },
  "mail-not-set": {
    status: 409,
    error: "No mail server",
    message: "This server can’t send e-mail. Ask an administrator for a link.",
  },
  "second-factor-exists": {
    status: 409,
    error: "Second factor exists",
    message: "Your account already has a second factor. Remove it before you set up another one.",
  },
  "passkeys-not-here": {
    status: 409,
    error: "Passkeys not possible here",
    message: "Passkeys need an address with https and a host name. On the same machine, localhost works too.",
  },
  "too-many-passkeys": {
    status: 409,
    error: "Too many passkeys",
    message: "You’ve reached the limit of 50 passkeys. Remove one you don’t use.",
  },
  "identity-taken": {
    status: 409,
    error: "Identity taken",
    message: "This identity belongs to another account. Sign out at the provider and choose another one.",
  },
  "last-sign-in-method": {
    status: 409,
    error: "Last way to sign in",
    message: "This is the only way to sign in for you or for an owner. Set up another one first.",
  },
  "email-taken": {
    status: 409,
    error: "E-mail address taken",
    message: "Someone already has an account with this e-mail address. Sign in, or use another address.",
  },
  "already-joined": {
    status: 409,
    error: "Account exists",
    message: "You’re signed in to an account or have already asked for one. Sign out first.",
  },
  "last-owner": {
    status: 409,
    error: "Last owner",
    message: "This is the only owner. Make someone else an owner first.",
  },
  "no-account": {
    status: 409,
    error: "No account",
    message: "Create your account first.",
  },
  conflict: {
    status: 409,
    error: "Conflict",
    message: "This ID is already in use. Use a new one.",
  },
  "role-cannot-change": {
    status: 409,
    error: "Message role cannot change",
    message: "A stored message keeps its role. Send a new message instead.",
  },
  "lease-ended": {
    status: 409,
    error: "run_ended",
    message: "This lease has ended. Store the message without lease_id if it has to change again.",
    otherClients: true,
  },
  "lease-mismatch": {
    status: 409,
    error: "lease_mismatch",
    message: "This isn’t the lease of this message. Another client writes it now.",
    otherClients: true,
  },
  "lease-taken": {
    status: 409,
    error: "run_in_progress",
    message:
      "Another client is writing this message. Wait until it ends its lease or sends no more heartbeats.",
    retry: true,
    otherClients: true,
  },
  "run-not-continuable": {
    status: 409,
    error: "Run cannot be continued",
    message: "This answer is complete or still being written. Regenerate it instead.",
  },
  "call-answered": {
    status: 409,
    error: "Tool call already answered",
    message: "This was already answered, possibly in another tab. The first answer counts.",
  },
  "call-not-yours": {
    status: 403,
    error: "Tool call of another person",
    message: "Only the person who asked can allow this.",
  },
  "call-not-waiting": {
    status: 409,
    error: "Tool call is not waiting for this",
    message:
      "This tool call isn’t waiting for this kind of answer. Send an approval for a call that needs one, and a result for a call that the person or the page carries out.",
  },
  "run-ended": {
    status: 409,
    error: "Run has ended",
    message: "This answer has ended and is no longer waiting for you. Continue or regenerate it.",
  },
  "thread-busy": {
    status: 409,
    error: "Thread is busy",
    message:
      "An answer is still being written in this chat. Wait for it to finish or stop it, then try again.",
    retry: true,
  },
  "thread-temporary": {
    status: 409,
    error: "Thread is temporary",
    message: "This chat is temporary. Keep it first.",
  },
  "queue-full": {
    status: 409,
    error: "Queue is full",
    message: "This chat’s queue is full. Wait until a message is sent, or remove one.",
    retry: true,
  },
  "address-unreachable": {
    status: 422,
    error: "Address cannot be fetched",
    message:
      "Can’t reach that URL. Check it, or upload the file instead. Hosts on a private network must be allowed by an administrator.",
    retry: true,
  },
  "address-refused": {
    status: 422,
    error: "Address refused",
    message:
      "That URL doesn’t return the file. Use a URL that opens without signing in, or upload the file instead.",
  },
  "fetched-wrong-type": {
    status: 415,
    error: "Wrong type at this address",
    message:
      "The file at that URL has the wrong type. Use a direct link to the file, not to a page about it.",
  },
  "fetched-too-large": {
    status: 413,
    error: "Too much at this address",
    message: "The file at that URL is too large for this server. Use a smaller file.",
  },
  "file-already-stored": {
    status: 409,
    error: "Attachment already stored",
    message: "A file was already uploaded to this URL. Request a new upload URL.",
  },
  "file-not-carried": {
    status: 404,
    error: "File not in the export",
    message: "This export doesn’t contain the file. If you chose a JSON file, try the zip instead.",
  },
  "too-large": {
    status: 413,
    error: "Payload Too Large",
    message: "This is too large for this server. Shorten it or send it as a file.",
  },
  "file-too-large": {
    status: 413,
    error: "Attachment too large",
    message:
      "This file is too large for this server. Make it smaller, or ask an administrator to raise the limit.",
  },
  "member-quota-full": {
    status: 413,
    error: "Share of the storage used up",
    message:
      "You have added as much to this person’s chats as one person may. Continue in a chat of your own.",
  },
  "quota-full": {
    status: 413,
    error: "Storage quota reached",
    message: "You’ve used all your storage. Delete some chats or files, empty the trash, then try again.",
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
      "This file isn’t a supported export. Choose a Parlance export (the zip, or the JSON of one chat) or a ChatGPT or Claude export (the original zip, or its conversations.json).",
  },
  "import-too-new": {
    status: 415,
    error: "Export of a newer version",
    message: "This export is from a newer version of Parlance. Update this server, then import it.",
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
      "This zip is too large when unpacked. Choose the export as it was downloaded. An administrator can import very large exports with the cli import command.",
  },
  "import-too-many-files": {
    status: 413,
    error: "Import has too many files",
    message:
      "This zip has more than 100,000 files. Remove any the conversations don’t need, or ask an administrator to import it with the cli import command.",
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
    message: "The file doesn’t have these bytes. Request another range or the whole file.",
  },
  "rate-limited": {
    status: 429,
    error: "rate_limited",
    message: "Too many requests. Wait a moment, then try again.",
    retry: true,
  },
  "too-many-runs": {
    status: 429,
    error: "Too many concurrent runs",
    message: "You have too many answers in progress. Wait for one to finish or stop one, then try again.",
    retry: true,
  },
  "budget-wait": {
    status: 429,
    error: "Budget reserved",
    message:
      "Answers in progress may use what is left of the budget. Wait for one to finish, then try again.",
    retry: true,
  },
  "too-many-transfers": {
    status: 429,
    error: "Too many transfers",
    message: "Your other exports or imports are still running. Wait for one to finish, then try again.",
    retry: true,
  },
  "too-many-uploads": {
    status: 429,
    error: "Too many uploads at once",
    message: "You’re uploading too many files at once. Wait for some to finish, then try again.",
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
      "This isn’t a PDF, or it’s damaged. Open it in a PDF viewer, save it again, and send the new file.",
  },
  "pdf-locked": {
    status: 422,
    error: "PDF is locked",
    message: "This PDF is password-protected. Save it without a password and send that.",
  },
  "pdf-unsupported": {
    status: 422,
    error: "PDF is not supported",
    message: "This PDF’s encryption isn’t supported. Print it to a new PDF and send that.",
  },
  "pdf-empty": {
    status: 422,
    error: "PDF is empty",
    message: "This PDF has no pages. Check that it’s the right file and that it’s complete.",
  },
  "pdf-too-many-pages": {
    status: 413,
    error: "PDF has too many pages",
    message: "This PDF has more than 200 pages. Split it and send the part you need.",
  },
  "pdf-too-large": {
    status: 413,
    error: "PDF is too large",
    message: "This PDF is larger than 25 MiB. Save it with smaller images, or send part of it.",
  },
  "pdf-too-long": {
    status: 422,
    error: "PDF takes too long",
    message: "This PDF takes too long to read. Split it or print it to a new PDF, then send that.",
  },
  "pdf-too-complex": {
    status: 422,
    error: "PDF is too complex",
    message: "This PDF takes too much memory to read. Split it or print it to a new PDF, then send that.",
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
    message: "Something went wrong on the server. Your work is saved. Try again.",
    retry: true,
  },
  "request-timeout": {
    status: 408,
    error: "Request Timeout",
    message: "The request took too long to arrive. Check your connection, then try again.",
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
    message: "The server’s disk is full. Ask an administrator to free up space, then try again.",
    retry: true,
  },
  "storage-unavailable": {
    status: 503,
    error: "Service Unavailable",
    message:
      "The server can’t save data right now: its data folder is missing, replaced or read-only. Ask an administrator to check the log.",
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
    message: "The server is restarting and can’t start new answers. Try again in a moment.",
    retry: true,
    expected: true,
  },
  "server-busy": {
    status: 503,
    error: "Service Unavailable",
    message: "The server is busy. Try again in a moment.",
    retry: true,
    expected: true,
  },
  "mcp-not-offered": {
    status: 501,
    error: "Not Implemented",
    message:
      "This server doesn’t support the Model Context Protocol. Use the /v1/projects endpoints instead.",
    expected: true,
  },
  "sign-in-unavailable": {
    status: 503,
    error: "Service Unavailable",
    message: "Can’t reach the sign-in provider. Try again in a moment.",
    retry: true,
  },

  "provider-refused-key": {
    status: 502,
    error: "Model provider refused the key",
    message: "The model provider rejected the API key. Ask an administrator to check it.",
  },
  "provider-no-credit": {
    status: 502,
    error: "Model provider has no credit",
    message: "The model provider’s account is out of credit. Ask an administrator to check its billing.",
  },
  "provider-model-unknown": {
    status: 502,
    error: "Model provider does not have the model",
    message: "The provider doesn’t have this model, or the API key can’t use it. Choose another model.",
  },
  "provider-no-models": {
    status: 502,
    error: "Model provider lists no models",
    message: "The provider lists no chat models. Enter a model ID.",
  },
  "provider-refused": {
    status: 502,
    error: "Model provider refused the request",
    message:
      "The model provider rejected this request. Try another model, or ask an administrator to check the log.",
  },
  "provider-not-a-model": {
    status: 502,
    error: "Model provider is not a model API",
    message: "The provider’s URL isn’t a model API. Ask an administrator to check it.",
  },
  "provider-rate-limited": {
    status: 429,
    error: "Model provider's rate limit",
    message: "The model provider’s rate limit was reached. Wait a moment, then try again.",
    retry: true,
  },
  "provider-overloaded": {
    status: 503,
    error: "Model provider overloaded or faulty",
    message: "The model provider is overloaded or has a fault. Try again in a moment.",
    retry: true,
  },
  "provider-unreachable": {
    status: 502,
    error: "Model provider unreachable",
    message: "Can’t reach the model provider. Try again, or let an administrator know.",
    retry: true,
  },
  "provider-broke-off": {
    status: 502,
    error: "Model provider stopped mid-answer",
    message: "The model provider stopped mid-answer. Everything so far is saved.",
    retry: true,
  },
  "provider-silent": {
    status: 504,
    error: "Model provider timed out",
    message: "The model provider stopped responding. Everything so far is saved.",
    retry: true,
  },
  "context-too-long": {
    status: 413,
    error: "Context too long",
    message:
      "This message is too long for the model. Shorten it or its files, or choose a model with a larger context window.",
  },
  "content-filtered": {
    status: 422,
    error: "Content filtered",
    message: "The model provider’s content filter stopped this answer. Try rephrasing your message.",
  },
  "answer-too-long": {
    status: 413,
    error: "Answer too long",
    message: "This answer hit the server’s size or time limit. Ask for something shorter.",
  },
  "too-many-steps": {
    status: 422,
    error: "Too many steps",
    message: "The assistant made too many tool calls. Ask for one thing at a time.",
  },
  "run-interrupted": {
    status: 503,
    error: "Run interrupted",
    message: "The server stopped during this answer. Everything so far is saved.",
    retry: true,
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;

export const errors: Readonly<Record<ErrorCode, Entry>> = catalogue;

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
