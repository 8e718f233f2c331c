import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** One row, if an administrator has entered a search service. */
export const webSearch = table("web_search", {
  since: "0061-web-search",
  columns: {
    id: text<"server">().primaryKey(),
    service: text<"searxng" | "brave" | "tavily" | "exa" | "kagi">(),
    /** Null: the service's own address. */
    address: text().nullable(),
    /** 1 if an owner entered a server in the operator's own network. */
    is_private: integer(),
    updated_at: bigint(),
  },
  backup: "in backup",
});

/** The encrypted key of the search service. */
export const webSearchSecrets = table("web_search_secrets", {
  since: "0061-web-search",
  columns: {
    id: text<"server">().primaryKey().references("web_search", "cascade"),
    ciphertext: text(),
    key_id: text(),
  },
  // As those of model providers. It is entered again after a restore.
  backup: "secret",
});
