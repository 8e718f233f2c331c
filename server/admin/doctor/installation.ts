import type { S3Location } from "#storage/blobs/s3-location.ts";
import type { ProxySettings } from "#server/fetch/outgoing-proxy.ts";
import { environmentProvider } from "#server/models/providers/environment.ts";
import type { Config } from "#server/settings/settings.ts";
import { guessableSecrets } from "./guessable-secrets.ts";

/** Where an installation stores everything, and how browsers reach it. */
export type Installation = {
  databaseUrl: string | undefined;
  /** The same database without a connection pooler. */
  directUrl: string | undefined;
  dataDir: string;
  s3: S3Location | undefined;
  publicUrl: string | undefined;
  trustProxy: number;
  /** The proxy to model providers. */
  outgoingProxy: ProxySettings;
  /** A file with certificates of authorities. */
  extraCaFile: string | undefined;
  /** The URL of the model provider that the settings name. */
  modelUrl: string | undefined;
  /** Whether the settings allow guests. */
  anonymous: boolean;
  /** Whether the settings say where backups go. */
  backupsAreSet: boolean;
  /** The settings with secrets that others can guess. */
  guessableSecrets: string[];
  /** The file with tool servers that are processes. */
  toolServersFile: string | undefined;
};

export function installationOf(config: Config): Installation {
  const { databaseUrl, databaseDirectUrl: directUrl, dataDir, publicUrl, trustProxy, outgoingProxy } = config;
  return {
    databaseUrl,
    directUrl,
    dataDir,
    s3: config.files.s3,
    publicUrl,
    trustProxy,
    outgoingProxy,
    extraCaFile: config.extraCaFile,
    modelUrl: environmentProvider(config)?.baseUrl,
    anonymous: config.anonymous,
    backupsAreSet: config.backups.folder !== undefined || config.backups.s3 !== undefined,
    guessableSecrets: guessableSecrets(config),
    toolServersFile: config.toolServersFile,
  };
}
