import type { Command } from "commander";
import { createApiKeys } from "#server/auth/api-keys.ts";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { Door } from "../open-database.ts";
import { nameFrom } from "../name.ts";
import { projectNamed, projectOption } from "../project-named.ts";
import { instant, printedTime, timeToCome } from "../format-date.ts";

/** `key make "my app"`: the one moment in which a key is shown. */
export function keyMake(group: Command, door: Door): void {
  group
    .command("make")
    .description("make an API key; it is shown this once, and counts at once")
    .argument("<name>", 'what it is for, such as "my app"', nameFrom)
    .option(projectOption.flags, projectOption.about)
    .option(
      "--expires <when>",
      "90d, 12h or 8w from now, or a day such as 2027-01-31; never where absent",
      (text) => timeToCome(text, door.clock.now()),
    )
    .action(async (name: string, options: { project?: string; expires?: number }) => {
      await door.withDatabase(async (db) => {
        const { clock } = door;
        const project = await projectNamed(createProjects({ db, clock }), options.project);
        const made = await createApiKeys({ db, clock }).make({
          name,
          projectId: project.id,
          expiresAt: options.expires,
        });
        const end = made.expires_at === null ? "never expires" : `expires ${printedTime(made.expires_at)}`;
        door.answer({
          text: [
            made.key,
            "",
            `Keep it now: it is not shown again. It is the key "${made.name}" of the project "${project.name}" and ${end}.`,
            "It reads and writes for everyone of that project, so it belongs on a server, never in a browser.",
          ].join("\n"),
          json: {
            id: made.id,
            key: made.key,
            name: made.name,
            project_id: made.project_id,
            expires_at: instant(made.expires_at),
          },
        });
      });
    });
}
