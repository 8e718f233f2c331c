import { runnerImport, type Plugin } from "vite";

type Errors = Record<string, { message: string; retry?: true; otherClients?: true }>;

/**
 * Replaces `contract/errors.ts` by what a browser needs of it: the message of each code and whether to retry, but not the
 * statuses, the texts of the hosted protocol and the errors of other clients. Workers, which show nothing, get no messages.
 */
export function shownErrors(): Plugin {
  return {
    name: "shown-errors",
    load: {
      filter: { id: /\/contract\/errors\.ts$/ },
      async handler(id) {
        const { module, dependencies } = await runnerImport<{ errors: Errors }>(id);
        for (const file of dependencies) this.addWatchFile(file);
        const entries = Object.entries(module.errors).filter(([, error]) => error.otherClients !== true);
        const retryable = entries.filter(([, { retry }]) => retry === true);
        const listed = (some: typeof entries) => JSON.stringify(some.map(([code]) => code).join(" "));
        return [
          `const codes = /* @__PURE__ */ ${listed(entries)}.split(" ");`,
          `const retryable = /* @__PURE__ */ ${listed(retryable)}.split(" ");`,
          `const messages = ${JSON.stringify(entries.map(([, { message }]) => message))};`,
          "export const errors = /* @__PURE__ */ Object.fromEntries(",
          "  /* @__PURE__ */ codes.map((code, index) => [code, { message: messages[index] }]));",
          "export const isErrorCode = (code) => codes.includes(code);",
          "export const isRetryable = (code) => retryable.includes(code);",
        ].join("\n");
      },
    },
  };
}
