/** What the API reference says before its calls, as Markdown. `address` is where its examples find the server. */
export function guide(address: string): string {
  return `The web app uses these calls and no others, so your programs can do everything that it does. The calls of assistant-ui's hosted chat service are among them, in the same format: its npm clients work unchanged with this server's address as their base URL.

## Getting started

Every example runs as it is in a shell that has these variables.

\`\`\`sh
PARLANCE=${address}

# A person without an account, with a workspace of their own.
SESSION=$(curl -s -X POST "$PARLANCE/v1/auth/tokens/anonymous")
TOKEN=$(echo "$SESSION" | sed -E 's/.*"access_token":"([^"]+)".*/\\1/')
REFRESH_TOKEN=$(echo "$SESSION" | sed -E 's/.*"token":"([^"]+)".*/\\1/')

# A thread, a question in it, and the answer while it is written.
THREAD_ID=$(curl -s -X POST "$PARLANCE/v1/threads" \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"last_message_at":"2026-01-31T12:00:00.000Z"}' | sed -E 's/.*"thread_id":"([^"]+)".*/\\1/')
RUN=$(curl -s -X POST "$PARLANCE/v1/threads/$THREAD_ID/runs" \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"message":{"parent_id":null,"content":{"role":"user","content":[{"type":"text","text":"Hello"}]}}}')
RUN_ID=$(echo "$RUN" | sed -E 's/.*"run_id":"([^"]+)".*/\\1/')
MESSAGE_ID=$(echo "$RUN" | sed -E 's/.*"message_id":"([^"]+)".*/\\1/')
curl -N "$PARLANCE/v1/runs/$RUN_ID/events" -H "Authorization: Bearer $TOKEN"
\`\`\`

## Rules for every call

* Request and response bodies are JSON in UTF-8. Unknown fields are ignored. A known field of the wrong type is an error that names the field.
* The credential is a bearer token: \`Authorization: Bearer …\` with an access token, or with an API key and the headers \`Aui-User-Id\` and \`Aui-Workspace-Id\`, which name the user that the key acts for. The operator creates keys.
* An access token is valid for five minutes. A refresh token gets the next one.
* An object of another workspace gets the same response as an object that does not exist.
* Timestamps are UTC, such as \`2026-01-31T12:00:00.000Z\`. Ids have at most 48 characters and sort by creation time. You may create the ids of threads, messages and runs yourself.
* Pages of other origins may call the service if the operator lists them. Without a list, pages of the same machine may call, those of its network if the server listens on that, and those of every origin if the public URL is on the internet. Cookies work for the web app's own page only.

## Errors

Every error is a \`Problem\`: \`code\` is for programs, \`message\` for people, and \`details\` names the fields that are wrong. Its \`request_id\` is also in the header \`X-Request-Id\`.`;
}
