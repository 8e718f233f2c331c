import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import * as z from "zod/mini";
import { findSimilarNames, findUnknownNames } from "./misspelled-settings.ts";
import { settingsSchema } from "./schema.ts";
import { listSettings, type ListedSetting } from "./setting.ts";

export type Config = z.output<typeof settingsSchema>;

/** Some settings are wrong. The message lists every one and says how to correct it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const listedSettings = listSettings(settingsSchema);
const settingNames = listedSettings.map(({ name }) => name);

/**
 * The settings of this process: from the environment, and those that are absent there from `.env` in `folder`. Paths
 * are relative to `folder`. Throws `ConfigError`.
 */
export function readConfig(folder: string, environment: NodeJS.ProcessEnv = process.env): Config {
  const envPath = join(folder, ".env");
  const variables = { ...readEnvFile(envPath), ...withoutEmpty(environment) };
  const outcome = z.safeParse(settingsSchema, nestVariables(variables));
  const problems = [
    ...findUnknownNames(Object.keys(variables), settingNames),
    ...(outcome.success ? [] : describeIssues(outcome.error.issues)),
  ];
  if (!outcome.success || problems.length > 0)
    throw new ConfigError(
      `These settings are wrong (environment or ${envPath}):\n${problems.map((line) => `  ${line}`).join("\n")}`,
    );
  const { dataDir, extraCaFile, toolServersFile, backups, ...settings } = outcome.data;
  const resolved = (path: string | undefined) => (path === undefined ? undefined : resolve(folder, path));
  return {
    ...settings,
    dataDir: resolve(folder, dataDir),
    extraCaFile: resolved(extraCaFile),
    backups: { ...backups, folder: resolved(backups.folder) },
    toolServersFile: resolved(toolServersFile),
  };
}

/** A sentence for each variable that looks like a misspelt setting but may belong to another program. */
export function settingWarnings(folder: string, environment: NodeJS.ProcessEnv = process.env): string[] {
  const variables = { ...readEnvFile(join(folder, ".env")), ...withoutEmpty(environment) };
  return findSimilarNames(Object.keys(variables), settingNames);
}

/** The variables in the nested form that the schema takes. */
function nestVariables(variables: Record<string, string | undefined>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const { name, path } of listedSettings) {
    let group = root;
    for (const key of path.slice(0, -1)) group = (group[key] ??= {}) as Record<string, unknown>;
    group[path.at(-1)!] = variables[name];
  }
  return root;
}

/** One line for each setting that is wrong. */
function describeIssues(issues: readonly z.core.$ZodIssue[]): string[] {
  const messages = new Map<string, string>();
  for (const issue of issues) {
    const { name } = listedSettings.find((listed) => isAt(listed, issue))!;
    if (!messages.has(name)) messages.set(name, `${name} ${issue.message}`);
  }
  return [...messages.values()];
}

/** Whether the issue is about this setting, or about an entry in its list. */
function isAt({ path }: ListedSetting, issue: z.core.$ZodIssue): boolean {
  return path.every((key, depth) => issue.path[depth] === key);
}

function readEnvFile(path: string): Record<string, string | undefined> {
  try {
    return withoutEmpty(parseEnv(readFileSync(path, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new ConfigError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

const alsoInLowerCase = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];

/**
 * An empty variable counts as absent: Compose files often contain `PORT=`. Those of a proxy are often written in lower
 * case.
 */
function withoutEmpty(environment: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const found = Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ""));
  // As in other programs, the lower-case form counts if both are there.
  for (const name of alsoInLowerCase) {
    const text = found[name.toLowerCase()];
    if (text !== undefined) found[name] = text;
    delete found[name.toLowerCase()];
  }
  return found;
}
