import { InvalidArgumentError, type Command } from "commander";
import { createJwtRules, ruleAlgorithms, type RuleAlgorithm } from "#server/auth/projects/jwt-rules.ts";
import { createProviderKeys } from "#server/auth/projects/provider-keys.ts";
import { createProjects } from "#server/auth/projects/projects.ts";
import { createLogger } from "#server/lib/logger.ts";
import type { Door } from "../open-database.ts";
import { projectNamed, projectOption } from "../project-named.ts";
import { ruleJson } from "./rule-json.ts";

type Options = {
  jwks: string;
  audience?: string;
  workspaceClaim?: string;
  algorithms: RuleAlgorithm[];
  project?: string;
};

/** `jwt-rule add https://login.example.com/ --jwks …`: from the next request on its tokens are taken. */
export function jwtRuleAdd(group: Command, door: Door): void {
  group
    .command("add")
    .description("take the tokens of your own sign-in provider (Auth0, Clerk, Keycloak, …)")
    .argument("<issuer>", "what its tokens say in iss, to the letter, often with a slash at the end")
    .requiredOption("--jwks <url>", "where its public keys are, such as https://…/.well-known/jwks.json")
    .option("--audience <audience>", "what its tokens must have in aud; without it, tokens for any app count")
    .option(
      "--workspace-claim <claim>",
      "the claim that names the workspace, such as org_id or o.id; else sub",
    )
    .option("--algorithms <list>", "how it signs, separated by commas", algorithmsFrom, ["RS256"])
    .option(projectOption.flags, projectOption.about)
    .action(async (issuer: string, options: Options) => {
      await door.withDatabase(async (db) => {
        const { clock } = door;
        const project = await projectNamed(createProjects({ db, clock }), options.project);
        const rule = await createJwtRules({ db, clock }).add({
          projectId: project.id,
          issuer,
          audience: options.audience,
          jwksUrl: options.jwks,
          workspaceClaim: options.workspaceClaim,
          algorithms: options.algorithms,
        });
        await look(rule.jwksUrl, door);
        if (rule.audience === undefined)
          door.note("Without --audience, a token that this issuer made for any of its apps counts here.");
        door.answer({
          text: `Added ${rule.id}: tokens of ${issuer} are taken for the project "${project.name}".`,
          json: ruleJson(rule),
        });
      });
    });
}

/** A slip in the address shows now, and not when the first person cannot sign in. */
async function look(jwksUrl: string, door: Door): Promise<void> {
  const keys = createProviderKeys({ clock: door.clock, logger: createLogger("silent") });
  await keys.look(jwksUrl).catch((error: unknown) => {
    const { message, cause } = (error as Error).cause as Error;
    const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
    door.note(
      `The rule is added, but no keys can be had from ${jwksUrl} (${reason}). Until they can, its people get a 503. Where the address is wrong, remove the rule and add it again.`,
    );
  });
}

function algorithmsFrom(text: string): RuleAlgorithm[] {
  return text.split(",").map((word) => {
    const found = ruleAlgorithms.find((algorithm) => algorithm === word.trim());
    if (found === undefined)
      throw new InvalidArgumentError(`There are ${ruleAlgorithms.join(", ")}. Shared secrets are not taken.`);
    return found;
  });
}
