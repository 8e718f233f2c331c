import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** The model providers that the owner added. */
export const modelProviders = table("model_providers", {
  columns: {
    /** The first part of the ids of its models. */
    id: text().primaryKey(),
    kind: text(),
    name: text(),
    base_url: text(),
    /** 1 if the base URL may only be on the public internet, because the owner did not enter it. */
    public_only: integer().default(0),
    /** 1 if it has a key, even if the key is missing because the database was restored. */
    has_key: integer(),
    /** JSON list of the models that are offered; null for all that the provider lists. */
    models: text().nullable(),
    /** The server's default model, if it is one of this provider's; null in all other rows. */
    default_model: text().nullable(),
    /** Lower positions come first. */
    position: integer(),
    /** Counts the changes. */
    version: integer(),
    created_at: bigint(),
    updated_at: bigint(),
  },
  backup: "in backup",
});

/** The keys of these providers, encrypted. Backups do not contain them. */
export const modelProviderKeys = table("model_provider_keys", {
  columns: {
    provider_id: text().primaryKey().references("model_providers", "cascade"),
    ciphertext: text(),
    /** Names the secret that it was encrypted with. */
    key_id: text(),
    /** The last four characters, which the owner may see. */
    last_four: text(),
  },
  // A backup contains the secret that they are encrypted with. The command adds them if it gets a passphrase.
  backup: "secret",
});
