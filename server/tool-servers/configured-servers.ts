import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { idPrefixes } from "#contract/facts/id-prefixes.ts";
import { ConfigError } from "#server/settings/settings.ts";
import { prefixOf } from "./tool-prefix.ts";

/** A tool server that runs as a process of this machine. Only the operator's configuration has these. */
export type ConfiguredServer = {
  id: string;
  name: string;
  toolPrefix: string;
  trustsHints: boolean;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string | undefined;
};

const line = z.string().check(z.minLength(1, "must not be empty"));

const configuration = z.strictObject({
  mcpServers: z.record(
    line,
    z.strictObject({
      command: line,
      args: z.optional(z.array(z.string())),
      env: z.optional(z.record(z.string(), z.string())),
      cwd: z.optional(line),
      trustsHints: z.optional(z.boolean()),
    }),
  ),
});

/**
 * The servers of the file that `TOOL_SERVERS_FILE` names, in the form that other programs use too. Nothing in it is
 * replaced, and the processes get no other variables of this one's environment than the usual ones, such as `PATH`. Throws
 * `ConfigError`, which names the field and the file.
 */
export function readConfiguredServers(path: string | undefined): ConfiguredServer[] {
  if (path === undefined) return [];
  const fail = (problem: string, cause?: unknown): never => {
    throw new ConfigError(`TOOL_SERVERS_FILE: ${path} ${problem}`, { cause });
  };
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    return fail(`cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  const parsed = configuration.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail(`is wrong at ${issue?.path.join(".") || "its top"}: ${issue?.message}`);
  }
  const servers = Object.entries(parsed.data.mcpServers).map(([name, server]) => ({
    id: idOf(name),
    name,
    toolPrefix: prefixOf(name),
    trustsHints: server.trustsHints ?? false,
    command: server.command,
    args: server.args ?? [],
    env: server.env ?? {},
    cwd: server.cwd,
  }));
  const prefixes = servers.map(({ toolPrefix }) => toolPrefix);
  const repeated = prefixes.find((prefix, index) => prefixes.indexOf(prefix) !== index);
  if (repeated !== undefined)
    return fail(`has two servers whose tools would begin with ${repeated}: give one of them another name`);
  return servers;
}

/** The same in every process and after every restart: people's decisions about its tools are tied to it. */
function idOf(name: string): string {
  const hash = createHash("sha256").update(`configured ${name}`).digest("hex");
  return `${idPrefixes.tool_server}${hash.slice(0, 24)}`;
}
