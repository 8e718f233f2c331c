import { limits } from "#contract/limits.ts";
import { createProviderRegistry } from "../models/owner-providers/owner-providers.ts";
import { createKeyVault } from "../models/owner-providers/key-vault.ts";
import { createManageProviders } from "../models/owner-providers/manage-providers.ts";
import { createModels } from "../models/models.ts";
import type { Dependencies } from "./dependencies.ts";

/** The models, and the providers that the owner adds. */
export function composeModels({ config, options, logger, clock, db, secret }: Dependencies) {
  const timeouts = {
    silenceMs: config.modelSilenceMs,
    muteMs: Math.max(limits.modelNoOutputMs, config.modelSilenceMs),
    ...options.modelTimeouts,
  };
  const vault = createKeyVault(secret);
  const rules = config.modelReads;
  const registry = createProviderRegistry({
    localOnly: config.localOnly,
    db,
    vault,
    clock,
    logger,
    rules,
    timeouts,
  });
  const models = createModels({
    settings: config,
    added: registry.added,
    logger,
    timeouts,
    wordMs: options.wordMs,
  });
  // Each server on a PostgreSQL would create another secret, and a restored database would lose it.
  const mayStoreKeys = db.engine === "sqlite" || config.secret !== undefined;
  const providers = createManageProviders({ db, clock, vault, registry, mayStoreKeys });
  return {
    models,
    providers,
    closeModels(): void {
      models.close();
      registry.close();
    },
  };
}
