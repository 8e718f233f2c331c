import * as z from "zod/mini";
import { errors, type ErrorCode } from "../errors.ts";
import { endpoints } from "../endpoints/endpoints.ts";
import {
  anyId,
  described,
  jsonObject,
  namedObject,
  secretToken,
  timestamp,
  writtenText,
} from "../endpoints/fields.ts";
import { limits } from "../limits.ts";
import { toolServerTransports } from "./tool-servers.ts";

const asciiLine = (max: number) =>
  z.string().check(
    z.trim(),
    z.minLength(1, "must not be empty"),
    z.maxLength(max, `must have at most ${max} characters`),
    z.refine((text) => /^[\x20-\x7e]+$/.test(text), "must be one line of letters, digits and punctuation"),
  );

const url = described(
  z
    .string()
    .check(
      z.trim(),
      z.maxLength(
        limits.providerUrlCharacters,
        `must have at most ${limits.providerUrlCharacters} characters`,
      ),
      z.refine(
        isServerUrl,
        "must be a URL such as https://mcp.example.com/mcp, without a user name or a fragment",
      ),
    ),
  "Only the owner can enter one in the server's own network. Redirects are followed within the same origin only.",
);

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return ["https:", "http:"].includes(protocol) && `${username}${password}${hash}` === "";
}

/** Headers that belong to the connection or to the protocol. */
const ownHeaders =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-.*|accept.*|cookie|origin|proxy-.*|mcp-.*|last-event-id|user-agent)$/i;

const header = z.object({
  name: z.string().check(
    z.trim(),
    z.maxLength(limits.nameCharacters, `must have at most ${limits.nameCharacters} characters`),
    z.refine(
      (text) => /^[\w!#$%&'*+.^`|~-]+$/.test(text) && !ownHeaders.test(text),
      "must be the name of a header such as Authorization or X-Api-Key, and not one that the protocol uses",
    ),
  ),
  value: asciiLine(limits.providerKeyCharacters),
});

const headers = described(
  z.array(header).check(
    z.maxLength(10, "must have at most 10 entries"),
    z.refine(
      (all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length,
      "must not name a header twice",
    ),
  ),
  "Keys for a server without a sign-in, such as `Authorization`. Values are sent as they are: nothing in them is replaced. They are stored encrypted and never returned.",
);

const client = described(
  z.object({
    id: asciiLine(limits.providerKeyCharacters),
    secret: z.optional(asciiLine(limits.providerKeyCharacters)),
  }),
  "The client that somebody registered for this server at its sign-in server. Without one, this server registers itself.",
);

const transport = z.enum(["http", "sse"], "must be http or sse");

const groupIds = described(
  z.nullable(z.array(anyId).check(z.maxLength(limits.allowedMax, `must have at most ${limits.allowedMax}`))),
  "The groups whose members get it; null for everybody. Only for servers that administrators add.",
);

const name = described(
  writtenText(limits.providerNameCharacters),
  "What people see. The names of its tools begin with it, in lower case: `github__create_issue`.",
);

export const toolServer = namedObject("ToolServer", "A server with tools for assistants.", {
  id: z.string(),
  name: z.string(),
  tool_prefix: described(z.string(), "What the names of its tools begin with. It never changes."),
  url: described(z.nullable(z.string()), "Null for a server of the operator's configuration."),
  transport: z.enum(toolServerTransports),
  is_shared: described(
    z.boolean(),
    "Whether an administrator added it for others, or the caller for themselves.",
  ),
  from_operator: described(z.boolean(), "It is in the operator's configuration and cannot be changed here."),
  group_ids: groupIds,
  is_on: z.boolean(),
  trusts_hints: described(
    z.boolean(),
    "Whether what it says about its tools, such as that one only reads, counts when calls are allowed.",
  ),
  header_names: described(z.array(z.string()), "The headers whose values are stored."),
  client_id: described(z.nullable(z.string()), "The client that was registered by hand."),
  lacks_secret: described(
    z.boolean(),
    "Its headers or its client were encrypted with another secret, such as that of another server: enter them again.",
  ),
  sign_in: described(
    z.enum(["not-needed", "needed", "done"]),
    "Whether the caller must sign in to it. `needed` also when a sign-in has expired.",
  ),
  tools: described(
    z.nullable(z.number()),
    "How many tools the caller gets from it; null while that is unknown.",
  ),
  may_change: z.boolean(),
  created_at: z.nullable(timestamp),
});
export type ToolServer = z.infer<typeof toolServer>;

const errorCode = z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]);

const offeredTool = namedObject("OfferedTool", "A tool of a tool server.", {
  name: described(z.string(), "The name that models call it by."),
  title: z.string(),
  description: z.string(),
  effect: described(
    z.enum(["reads", "writes"]),
    "What the server says that it does; `writes` if it says nothing.",
  ),
  parameters: jsonObject,
});

export const toolServerTest = namedObject("ToolServerTest", "What a tool server offers.", {
  problem: described(z.nullable(errorCode), "Null if it answered."),
  detail: described(z.nullable(z.string()), "What the server said about the problem."),
  took_ms: described(z.number(), "Until it was connected and its tools were listed."),
  server: described(
    z.nullable(z.object({ name: z.string(), version: z.string(), protocol: z.string() })),
    "What it says about itself.",
  ),
  tools: z.array(offeredTool),
  left_out: described(
    z.array(z.object({ name: z.string(), reason: z.enum(["name", "schema", "size", "too-many"]) })),
    "Tools that cannot be used, and what is wrong with them.",
  ),
  offers: described(z.array(z.enum(["tools", "resources", "prompts"])), "What it says that it has."),
});
export type ToolServerTest = z.infer<typeof toolServerTest>;

const fields = {
  name,
  url,
  transport: described(
    z.optional(transport),
    "Default: `http`, which is streamable HTTP. `sse` is the transport of servers from before 2025.",
  ),
  headers: z.optional(headers),
  client: z.optional(client),
  group_ids: z.optional(groupIds),
  is_on: z.optional(z.boolean()),
  trusts_hints: described(
    z.optional(z.boolean()),
    "Only for servers that administrators add. Default: false.",
  ),
};

const one = z.object({ server: toolServer });
const storing = ["not-allowed", "secret-not-set", "tool-server-private"] as const satisfies ErrorCode[];
const answering = [
  "tool-server-private",
  "tool-server-unreachable",
  "tool-server-failed",
] as const satisfies ErrorCode[];

export const toolServerEndpoints = endpoints("account", {
  "toolServers.list": {
    request: "GET /v1/tool-servers",
    summary: "List tool servers",
    description:
      "Those that the caller can use, by name: their own, and the shared ones that they may have. Administrators get all shared ones. Keys are not included.",
    response: z.object({
      servers: z.array(toolServer),
      may_add: described(z.boolean(), "Whether the caller may add servers for themselves."),
      may_share: described(z.boolean(), "Whether the caller may add servers for others, and change those."),
    }),
  },
  "toolServers.create": {
    request: "POST /v1/tool-servers",
    permission: "tool-servers.add",
    audit: "tool-server-added",
    summary: "Add a tool server",
    description:
      "For oneself, or with `is_shared` for others. It is on at once. With PostgreSQL, headers and a client secret need the setting PARLANCE_SECRET.",
    body: z.object({ ...fields, is_shared: z.optional(z.boolean()) }),
    bodyBytesMax: limits.formBodyBytes,
    status: 201,
    response: one,
    errors: [...storing, "too-many-tool-servers"],
    example: { body: { name: "Docs", url: "https://mcp.example.com/mcp", is_shared: true } },
  },
  "toolServers.change": {
    request: "PUT /v1/tool-servers/{tool_server_id}",
    audit: "tool-server-changed",
    summary: "Change a tool server",
    description:
      "Changes the given fields only. Headers, a client and sign-ins are never sent to another origin: with a URL of another one, they are deleted unless they are sent again. Saving accepts another sign-in server.",
    body: z.object({
      ...fields,
      name: z.optional(name),
      url: z.optional(url),
      headers: z.optional(headers),
      client: z.optional(z.nullable(client)),
    }),
    bodyBytesMax: limits.formBodyBytes,
    response: one,
    errors: storing,
    example: { body: { is_on: false } },
  },
  "toolServers.remove": {
    request: "DELETE /v1/tool-servers/{tool_server_id}",
    audit: "tool-server-removed",
    summary: "Remove a tool server",
    description:
      "With its keys and the sign-ins of all people. Messages that it was used in stay as they are.",
    errors: ["not-allowed"],
  },
  "toolServers.test": {
    request: "POST /v1/tool-servers/{tool_server_id}/test",
    audit: { none: "no-change" },
    summary: "Test a tool server",
    description:
      "Connects with the caller's sign-in, and lists what the server offers. What it lists is what the caller's assistants get from then on.",
    response: toolServerTest,
  },
  "toolServers.startSignIn": {
    request: "POST /v1/tool-servers/{tool_server_id}/sign-in",
    audit: { none: "one-step" },
    summary: "Begin to sign in to a tool server",
    description:
      "Send the browser to `url`. It returns to `/settings/tools`. Keep `flow` until then: this sign-in cannot be finished without it.",
    response: z.object({
      url: z.string(),
      flow: z.string(),
      host: described(z.string(), "Where the person signs in."),
    }),
    errors: [...answering, "secret-not-set", "tool-server-without-sign-in", "tool-server-sign-in-moved"],
  },
  "toolServers.finishSignIn": {
    request: "POST /v1/tool-server-sign-ins",
    audit: "tool-server-signed-in",
    summary: "Sign in to a tool server",
    description:
      "`response` is the query with which the browser was sent back. The tokens are stored encrypted, for the caller alone.",
    body: z.object({ flow: secretToken, response: z.string().check(z.maxLength(8_192, "is too long")) }),
    response: one,
    errors: [...answering, "sign-in-expired", "sign-in-failed", "secret-not-set", "tool-server-not-found"],
    example: { body: { flow: "$FLOW", response: "?code=abc&state=def" } },
  },
  "toolServers.signOut": {
    request: "DELETE /v1/tool-servers/{tool_server_id}/sign-in",
    audit: { when: "if the caller was signed in", writes: ["tool-server-signed-out"] },
    summary: "Sign out of a tool server",
    description: "Deletes the caller's tokens.",
  },
  "toolServers.client": {
    request: "GET /v1/tool-servers/client",
    caller: "anyone",
    summary: "Read this server's OAuth client metadata",
    description:
      "The document by which sign-in servers of tool servers recognize this server: its URL is the id of the client.",
    response: z.object({
      client_id: z.string(),
      client_name: z.string(),
      client_uri: z.string(),
      redirect_uris: z.array(z.string()),
      grant_types: z.array(z.string()),
      response_types: z.array(z.string()),
      token_endpoint_auth_method: z.string(),
    }),
  },
});
