import {
  createPersonalInstructions,
  personalInstructionRoutes,
} from "../assistants/personal-instructions/personal-instructions.ts";
import { createPrompts } from "../assistants/prompts/prompts.ts";
import { promptRoutes } from "../assistants/prompts/routes.ts";
import { createWebhooks } from "../apps/webhooks/webhooks.ts";
import { webhookRoutes } from "../apps/webhooks/routes.ts";
import { createWebhookVault } from "../apps/webhooks/webhook-secrets.ts";
import { createGuardedPost } from "../fetch/guarded-post.ts";
import { limits } from "#contract/limits.ts";
import type { Eraser } from "../admin/erasure/erasure.ts";
import type { MoveHook } from "../threads/claim.ts";
import { createLabels } from "../threads/labels/labels.ts";
import { labelRoutes } from "../threads/labels/routes.ts";
import { createThreadPanels } from "../threads/panels/panels.ts";
import { threadPanelRoutes } from "../threads/panels/routes.ts";
import { toolRuleRoutes, type ToolRules } from "../tools/rules/tool-rules.ts";
import { toolServerRoutes } from "../tool-servers/routes.ts";
import type { ToolServerModules } from "./compose-tool-servers.ts";
import { mayStoreSecrets, type Dependencies } from "./dependencies.ts";

/** What belongs to people, and goes with them: to the account that a guest signs in to, and when they are erased. */
type Owned = { move: MoveHook; erase: Eraser };

/** The modules of nouns that people own, each with its routes. `composeErasure` moves and erases all of them. */
export function composeNouns(
  dependencies: Dependencies,
  modules: Omit<
    Parameters<typeof createPrompts>[0] & Parameters<typeof createThreadPanels>[0] & { toolRules: ToolRules },
    "db" | "clock"
  > & { toolServerModules: ToolServerModules },
) {
  const base = { ...dependencies, ...modules };
  return {
    labels: noun(createLabels(base), labelRoutes),
    personalInstructions: noun(createPersonalInstructions(base), personalInstructionRoutes),
    prompts: noun(createPrompts(base), promptRoutes),
    webhooks: noun(
      createWebhooks({
        ...base,
        vault: createWebhookVault(base.secret),
        mayStoreSecrets: mayStoreSecrets(base),
        target: createGuardedPost({
          ...base.config.fetch,
          timeoutMs: base.options.webhookMs ?? limits.webhookTimeoutMs,
          bytesMax: limits.webhookResponseBytes,
        }),
      }),
      webhookRoutes,
    ),
    toolRules: noun(base.toolRules, toolRuleRoutes),
    threadPanels: noun(createThreadPanels(base), threadPanelRoutes),
    toolServers: noun(modules.toolServerModules.toolServers, () =>
      toolServerRoutes({
        ...base,
        ...modules.toolServerModules,
        webUrl: ({ origin }) => base.config.publicUrl ?? origin,
        mayStoreSecrets: mayStoreSecrets(base),
      }),
    ),
  };
}

export type Nouns = ReturnType<typeof composeNouns>;

function noun<Module extends Owned, Routes>(module: Module, routesOf: (module: Module) => Routes) {
  return { module, routes: routesOf(module) };
}

/** The routes of all nouns. */
export function routesOf(nouns: Nouns) {
  return Object.assign({}, ...Object.values(nouns).map(({ routes }) => routes)) as Intersection<
    Nouns[keyof Nouns]["routes"]
  >;
}

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
