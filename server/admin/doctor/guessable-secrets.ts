import type { Config } from "#server/settings/settings.ts";

/** Words of the values that examples, images and other people's configurations have. */
const usual = /change.?(?:me|this|it)|example|default|password|secret|minio|12345678|your[-_]/i;
/** Random values of 16 characters have more. */
const differentCharactersMin = 8;

/** The names of the settings whose secret was copied from an example, or typed without thought. */
export function guessableSecrets({ secret, apiKey, metrics, files, backups, databaseUrl }: Config): string[] {
  const secrets = {
    PARLANCE_SECRET: secret,
    PARLANCE_API_KEY: apiKey?.replace(/^sk_aui_proj_/, ""),
    METRICS_TOKEN: metrics.token,
    S3_SECRET_ACCESS_KEY: files.s3?.secretAccessKey,
    BACKUP_S3_SECRET_ACCESS_KEY: backups.s3?.secretAccessKey,
    BACKUP_PASSPHRASE: backups.passphrase,
  };
  const names = Object.entries(secrets).flatMap(([name, value]) =>
    value !== undefined && (usual.test(value) || new Set(value).size < differentCharactersMin) ? name : [],
  );
  return hasUsualPassword(databaseUrl) ? [...names, "DATABASE_URL"] : names;
}

/** Without a password, the database itself decides who may connect. */
function hasUsualPassword(databaseUrl: string | undefined): boolean {
  if (databaseUrl === undefined) return false;
  const { username, password } = new URL(databaseUrl);
  return password !== "" && (password === username || password === "postgres" || usual.test(password));
}
