import { runnerImport, type Plugin } from "vite";

/**
 * Replaces `contract/paths.ts` by its value: a browser needs the method and path of each endpoint, but not zod, the schemas
 * and the API reference, which that file imports.
 */
export function endpointPaths(): Plugin {
  return {
    name: "endpoint-paths",
    load: {
      filter: { id: /\/contract\/paths\.ts$/ },
      async handler(id) {
        const { module, dependencies } = await runnerImport<{ paths: object }>(id);
        for (const file of dependencies) this.addWatchFile(file);
        return `export const paths = ${JSON.stringify(module.paths)};`;
      },
    },
  };
}
