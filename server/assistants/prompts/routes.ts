import type { Routes } from "#server/lib/route.ts";
import type { Prompts } from "./prompts.ts";

export function promptRoutes(prompts: Prompts): Routes<"prompts.list" | "prompts.put" | "prompts.remove"> {
  return {
    "prompts.list": async ({ visitor }) => await prompts.list(visitor),
    "prompts.put": async ({ visitor, params, body, request }) => ({
      prompt: await prompts.put(visitor, params.prompt_id, body, request),
    }),
    "prompts.remove": async ({ visitor, params, request }) => {
      await prompts.remove(visitor, params.prompt_id, request);
      return {};
    },
  };
}
