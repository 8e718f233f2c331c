import type { Command } from "commander";
import { createApiKeys, type ApiKey } from "#server/auth/api-keys.ts";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { Door } from "../open-database.ts";
import { projectNamed, projectOption } from "../project-named.ts";
import { table } from "../table.ts";
import { instant, printedTime } from "../format-date.ts";

/** `key list`: what there is, by the beginnings of the keys. */
export function keyList(group: Command, door: Door): void {
  group
    .command("list")
    .description("list the API keys, by their beginnings")
    .option(projectOption.flags, "only those of this project, by name or id")
    .option("--all", "also those that were revoked or have expired")
    .action(async (options: { project?: string; all?: true }) => {
      await door.withDatabase(async (db) => {
        const { clock } = door;
        const projects = createProjects({ db, clock });
        const only =
          options.project === undefined ? undefined : await projectNamed(projects, options.project);
        const names = new Map((await projects.list()).map(({ id, name }) => [id, name]));
        const keys = (await createApiKeys({ db, clock }).list())
          .filter(({ project_id: id }) => only === undefined || only.id === id)
          .map((key) => ({ ...key, state: stateOf(key, clock.now()) }))
          .filter(({ state }) => options.all === true || state === "stands");
        const project = (key: ApiKey): string => names.get(key.project_id) ?? key.project_id;
        door.answer({
          text:
            keys.length === 0
              ? 'There is no key. Make one with: npm run cli -- key make "my app"'
              : table(
                  ["KEY", "NAME", "PROJECT", "MADE", "LAST USED", "EXPIRES", "ID"],
                  keys.map((key) => [
                    `${key.prefix}…`,
                    key.name,
                    project(key),
                    printedTime(key.created_at),
                    key.last_used_at === null ? "not yet" : printedTime(key.last_used_at),
                    endOf(key),
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
            created_at: instant(key.created_at),
            last_used_at: instant(key.last_used_at),
            expires_at: instant(key.expires_at),
            revoked_at: instant(key.revoked_at),
          })),
        });
      });
    });
}

function stateOf(key: ApiKey, nowMs: number): "stands" | "revoked" | "expired" {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && key.expires_at <= nowMs ? "expired" : "stands";
}

function endOf(key: ApiKey): string {
  if (key.revoked_at !== null) return `revoked ${printedTime(key.revoked_at)}`;
  return key.expires_at === null ? "never" : printedTime(key.expires_at);
}
