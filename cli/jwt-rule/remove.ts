import type { Command } from "commander";
import { createJwtRules } from "#server/auth/projects/jwt-rules.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";

/** `jwt-rule remove <rule>`: refuses the provider's tokens, and sessions started with them, from the next request. */
export function jwtRuleRemove(group: Command, context: CommandContext): void {
  group
    .command("remove")
    .description("remove a rule; its tokens, and sessions started with them, end")
    .argument("<rule>", "its id, as jwt-rule list shows it")
    .action(async (id: string) => {
      const found = await context.withDatabase(
        async (db) => await createJwtRules({ db, clock: context.clock }).remove(id),
      );
      if (!found)
        throw new CommandError(`<rule>: there is no rule "${id}". See: npm run cli -- jwt-rule list`);
      context.print({ text: `Removed ${id}.`, json: { id } });
    });
}
