/** What the reference says around the endpoints. Markdown of one line each; `code` is for a shell. */
export const words = {
  title: "The API",
  lead: "Everything that the web app does, it does through these calls, and so can you. Those of assistant-ui's hosted chat service are among them, on the same wire: its npm clients work with this server's address as their base URL.",
  machine: "The same for programs: [openapi.json](/openapi.json), an OpenAPI 3.1 document.",
  begin: {
    title: "Getting started",
    text: "Every example runs as it stands in a shell that has these.",
    code: (address: string) => `PARLANCE=${address}

# Someone without an account, with a workspace of their own.
SESSION=$(curl -s -X POST "$PARLANCE/v1/auth/tokens/anonymous")
TOKEN=$(echo "$SESSION" | sed -E 's/.*"access_token":"([^"]+)".*/\\1/')
REFRESH_TOKEN=$(echo "$SESSION" | sed -E 's/.*"token":"([^"]+)".*/\\1/')

# A thread of theirs, a question in it, and the answer as it is written.
THREAD_ID=$(curl -s -X POST "$PARLANCE/v1/threads" \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"last_message_at":"2026-01-31T12:00:00.000Z"}' | sed -E 's/.*"thread_id":"([^"]+)".*/\\1/')
RUN=$(curl -s -X POST "$PARLANCE/v1/threads/$THREAD_ID/runs" \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"message":{"parent_id":null,"content":{"role":"user","content":[{"type":"text","text":"Hello"}]}}}')
RUN_ID=$(echo "$RUN" | sed -E 's/.*"run_id":"([^"]+)".*/\\1/')
MESSAGE_ID=$(echo "$RUN" | sed -E 's/.*"message_id":"([^"]+)".*/\\1/')
curl -N "$PARLANCE/v1/runs/$RUN_ID/events" -H "Authorization: Bearer $TOKEN"`,
  },
  rules: {
    title: "What holds for every call",
    list: [
      "Bodies and answers are JSON in UTF-8. Fields that we do not know are passed over; a known field of the wrong kind is refused by name.",
      "A credential is a bearer: `Authorization: Bearer …` with an access token, or with an API key and the headers `Aui-User-Id` and `Aui-Workspace-Id` that say for whom it acts. Keys are made by the operator.",
      "An access token is good for five minutes. Whoever has a refresh token gets the next one with it.",
      "What belongs to another workspace answers exactly as what does not exist.",
      "Instants are UTC, as `2026-01-31T12:00:00.000Z`. Ids are texts of at most 48 characters that sort by their time of birth; you may mint those of threads, messages and runs yourself.",
      "Pages may be called from any origin, unless the operator named some. Cookies count for our own page alone.",
    ],
  },
  errors: {
    title: "Errors",
    text: "Every error is a [Problem](#shape-problem): `code` is for programs, `message` for people, and `details` names the fields that are wrong. Its `request_id` is also in the header `X-Request-Id`.",
    credential: "With a credential that is missing or does not count:",
    server: "And whatever is called, by whomever:",
  },
  shapes: { title: "Shapes", text: "What answers are made of." },
  query: "Query",
  body: "Body",
  answer: "Answer",
  example: "Example",
  failures: "Errors",
  contents: "Contents",
  field: "Field",
  type: "Type",
  meaning: "Meaning",
  optional: "optional",
  status: "Status",
  code: "Code",
  remedy: "What to do",
  home: "Parlance",
};
