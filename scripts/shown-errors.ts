import { runnerImport, type Plugin } from "vite";

type Errors = Record<string, { message: string; retry?: true }>;

/**
 * Replaces `contract/errors.ts` by what a browser needs of it: the message of each code and whether to retry, but not the
 * statuses and the texts of the hosted protocol.
 */
export function shownErrors(): Plugin {
  return {
    name: "shown-errors",
    load: {
      filter: { id: /\/contract\/errors\.ts$/ },
      async handler(id) {
        const { module, dependencies } = await runnerImport<{ errors: Errors }>(id);
        for (const file of dependencies) this.addWatchFile(file);
        const shown = Object.entries(module.errors).map(([code, { message, retry }]) => [
          code,
          { message, retry },
        ]);
        return [
          `export const errors = ${JSON.stringify(Object.fromEntries(shown))};`,
          "export const isErrorCode = (code) => Object.hasOwn(errors, code);",
        ].join("\n");
      },
    },
  };
}
