import { isJsonObject } from "#contract/json.ts";
import type { Tool } from "#server/tools/tool.ts";

/**
 * Tools that need a person, as a server of the tests is given them: one that always asks, one that asks by its
 * arguments, and one that only the page can answer. `did` hears what was carried out.
 */
export function approvalTools(did: (name: string, args: unknown) => void = () => {}): Tool[] {
  return [
    {
      name: "send_letter",
      description: "Sends a letter.",
      parameters: { type: "object" },
      needsApproval: "always",
      async run(args) {
        did("send_letter", args);
        return { sent: isJsonObject(args) ? (args.to ?? null) : null };
      },
    },
    {
      name: "delete_files",
      description: "Deletes files; more than one only when allowed.",
      parameters: { type: "object" },
      needsApproval: (args) => !isJsonObject(args) || args.count !== 1,
      async run(args) {
        did("delete_files", args);
        return { deleted: isJsonObject(args) ? (args.count ?? null) : null };
      },
    },
    {
      name: "dig_tunnel",
      description: "Takes longer than anyone waits.",
      parameters: { type: "object" },
      needsApproval: "always",
      async run(args, { signal }) {
        did("dig_tunnel", args);
        return await new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    },
    {
      name: "read_page",
      description: "Reads something that only the page knows.",
      parameters: { type: "object" },
      resultError: (result) =>
        isJsonObject(result) && typeof result.page === "string" ? undefined : "must be { page: text }",
    },
  ];
}
