import { limits } from "#contract/limits.ts";
import { createOutgoingProxy } from "../fetch/outgoing-proxy.ts";
import { createProviderRegistry } from "../models/stored-providers/stored-providers.ts";
import { createKeyVault } from "../models/stored-providers/key-vault.ts";
import { createManageProviders } from "../models/stored-providers/manage-model-providers.ts";
import { createModelSettings } from "../models/model-settings.ts";
import { createModels } from "../models/models.ts";
import { mayStoreSecrets, type Dependencies } from "./dependencies.ts";

/** The models, and the providers that the owner adds. */
export function composeModels({ config, options, logger, clock, db, secret }: Dependencies) {
  const timeouts = {
    silenceMs: config.modelSilenceMs,
    noOutputMs: Math.max(limits.modelNoOutputMs, config.modelSilenceMs),
    ...options.modelTimeouts,
  };
  const modelSettings = createModelSettings({ db, clock, ...config });
  const { isLocalOnly: localOnly } = modelSettings;
  const vault = createKeyVault(secret);
  const rules = config.modelReads;
  const proxy = createOutgoingProxy(config.outgoingProxy);
  const registry = createProviderRegistry({
    localOnly,
    proxy,
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
    localOnly,
    proxy,
  });
  const mayStoreKeys = mayStoreSecrets({ config, db });
  const providers = createManageProviders({
    db,
    clock,
    fetch,
    localOnly,
    proxy,
    vault,
    registry,
    mayStoreKeys,
  });
  return {
    models,
    modelSettings,
    providers,
    closeModels(): void {
      models.close();
      registry.close();
    },
  };
}
