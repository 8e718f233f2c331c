import type { Routes } from "../lib/route.ts";
import type { Models } from "./models.ts";

export function modelRoutes(models: Models): Routes<"models.list"> {
  return {
    "models.list": async () => {
      const { models: list, default: defaultModel } = await models.list();
      return { models: list, default_model: defaultModel };
    },
  };
}
