import { isJsonObject } from "#contract/json.ts";
import type { ToolDefinition } from "#server/tools/tool.ts";

/**
 * Tools for approval tests: one always needs approval, one depending on its arguments, and one is answered by the client.
 * Calls `onCall` for each executed call.
 */
export function approvalTools(onCall: (name: string, args: unknown) => void = () => {}): ToolDefinition[] {
  return [
    {
      name: "send_letter",
      readsOtherThreads: false,
      effect: "writes",
      readsStrangers: false,
      description: "Sends a letter.",
      parameters: { type: "object" },
      async run(args) {
        onCall("send_letter", args);
        return { sent: isJsonObject(args) ? (args.to ?? null) : null };
      },
    },
    {
      name: "delete_files",
      readsOtherThreads: false,
      effect: "writes",
      readsStrangers: false,
      description: "Deletes files; more than one only when allowed.",
      parameters: { type: "object" },
      needsApproval: (args) => !isJsonObject(args) || args.count !== 1,
      async run(args) {
        onCall("delete_files", args);
        return { deleted: isJsonObject(args) ? (args.count ?? null) : null };
      },
    },
    {
      name: "dig_tunnel",
      readsOtherThreads: false,
      effect: "writes",
      readsStrangers: false,
      description: "Takes longer than anyone waits.",
      parameters: { type: "object" },
      async run(args, { signal }) {
        onCall("dig_tunnel", args);
        return await new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    },
    {
      name: "look_at_page",
      readsOtherThreads: false,
      effect: "reads",
      readsStrangers: false,
      description: "Reads something that only the page knows.",
      parameters: { type: "object" },
      resultError: (result) =>
        isJsonObject(result) && typeof result.page === "string" ? undefined : "must be { page: text }",
    },
  ];
}
