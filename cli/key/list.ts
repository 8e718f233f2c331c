import type { Command } from "commander";
import { createApiKeys, type ApiKey } from "#server/auth/api-keys.ts";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { CommandContext } from "../command-context.ts";
import { findProject, projectOption } from "../project-option.ts";
import { table } from "../table.ts";
import { isoTime, formatTime } from "../format-date.ts";

/** `key list`: lists API keys by their prefixes. */
export function keyList(group: Command, context: CommandContext): void {
  group
    .command("list")
    .description("list the API keys by their prefixes")
    .option(projectOption.flags, "only the keys of this project, by name or id")
    .option("--all", "include revoked and expired keys")
    .action(async (options: { project?: string; all?: true }) => {
      await context.withDatabase(async (db) => {
        const { clock } = context;
        const projects = createProjects({ db, clock });
        const only = options.project === undefined ? undefined : await findProject(projects, options.project);
        const names = new Map((await projects.list()).map(({ id, name }) => [id, name]));
        const keys = (await createApiKeys({ db, clock }).list())
          .filter(({ project_id: id }) => only === undefined || only.id === id)
          .map((key) => ({ ...key, state: stateOf(key, clock.now()) }))
          .filter(({ state }) => options.all === true || state === "active");
        const project = (key: ApiKey): string => names.get(key.project_id) ?? key.project_id;
        context.print({
          text:
            keys.length === 0
              ? 'There are no keys. Create one with: npm run cli -- key create "my app"'
              : table(
                  ["KEY", "NAME", "PROJECT", "CREATED", "LAST USED", "EXPIRES", "ID"],
                  keys.map((key) => [
                    `${key.prefix}…`,
                    key.name,
                    project(key),
                    formatTime(key.created_at),
                    key.last_used_at === null ? "not yet" : formatTime(key.last_used_at),
                    formatExpiry(key),
                    key.id,
                  ]),
                ),
          json: keys.map((key) => ({
            id: key.id,
            prefix: key.prefix,
            name: key.name,
            project_id: key.project_id,
            project: project(key),
            state: key.state,
            created_at: isoTime(key.created_at),
            last_used_at: isoTime(key.last_used_at),
            expires_at: isoTime(key.expires_at),
            revoked_at: isoTime(key.revoked_at),
          })),
        });
      });
    });
}

function stateOf(key: ApiKey, nowMs: number): "active" | "revoked" | "expired" {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && key.expires_at <= nowMs ? "expired" : "active";
}

function formatExpiry(key: ApiKey): string {
  if (key.revoked_at !== null) return `revoked ${formatTime(key.revoked_at)}`;
  return key.expires_at === null ? "never" : formatTime(key.expires_at);
}
