import { runnerImport, type Plugin } from "vite";

type Errors = Record<string, { message: string; retry?: true }>;

/**
 * Replaces `contract/errors.ts` by what a browser needs of it: the message of each code and whether to retry, but not the
 * statuses and the texts of the hosted protocol. Workers, which show nothing, get no messages.
 */
export function shownErrors(): Plugin {
  return {
    name: "shown-errors",
    load: {
      filter: { id: /\/contract\/errors\.ts$/ },
      async handler(id) {
        const { module, dependencies } = await runnerImport<{ errors: Errors }>(id);
        for (const file of dependencies) this.addWatchFile(file);
        const entries = Object.entries(module.errors);
        const codes = entries.map(([code, { retry }]) => [code, retry === true]);
        return [
          `const codes = ${JSON.stringify(Object.fromEntries(codes))};`,
          `const messages = ${JSON.stringify(entries.map(([, { message }]) => message))};`,
          "export const errors = /* @__PURE__ */ Object.fromEntries(",
          "  /* @__PURE__ */ Object.keys(codes).map((code, index) => [code, { message: messages[index] }]));",
          "export const isErrorCode = (code) => Object.hasOwn(codes, code);",
          "export const isRetryable = (code) => codes[code];",
        ].join("\n");
      },
    },
  };
}
