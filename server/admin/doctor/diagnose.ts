import { statfs } from "node:fs/promises";
import { openBlobs } from "#storage/blobs/open.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { S3Location } from "#storage/blobs/s3-location.ts";
import { checkCors } from "#storage/blobs/s3-cors.ts";
import { withSnapshot } from "#storage/backup/open-snapshot.ts";
import type { Snapshot } from "#storage/backup/snapshot.ts";
import { migrations } from "#storage/migrations/list.ts";
import { trustProxyAdvice } from "#server/settings/proxy-settings.ts";
import { backupFindings } from "./backup-findings.ts";
import { bytesFaults, bytesNotes } from "./stored-bytes.ts";
import { isOnInternet } from "#server/fetch/host-names.ts";
import { readCertificates } from "#server/fetch/process-network.ts";
import { readConfiguredServers } from "#server/tool-servers/configured-servers.ts";
import type { Installation } from "./installation.ts";
import { proxyFaults } from "./proxy.ts";
import { examine, type CheckedFinding, type Diagnosis } from "./doctor.ts";

/** Checks an installation without writing. Its servers may be running. `now` returns milliseconds. */
export async function diagnose(installation: Installation, now: () => number): Promise<Diagnosis> {
  const { databaseUrl, directUrl, dataDir, s3, publicUrl, trustProxy, outgoingProxy, extraCaFile, modelUrl } =
    installation;
  const blobs = await openBlobs({ dataDir, s3 });
  const modelUrls = modelUrl === undefined ? [] : [modelUrl];
  const diagnosis = await withSnapshot(
    { databaseUrl: directUrl ?? databaseUrl, dataDir },
    async (snapshot) => {
      const examined = await examineDatabase(snapshot, now, blobs);
      if (examined.checks.length === 1) return examined;
      for (const row of await snapshot.rows("select base_url from model_providers"))
        modelUrls.push(String(row["base_url"]));
      examined.notes.push(...(await guestNotes(snapshot, installation)));
      examined.checks.push("open-to-guests", "backups");
      const found = await backupFindings(snapshot, installation, now());
      examined.faults.push(...found.faults);
      examined.notes.push(...found.notes);
      return examined;
    },
  );
  if (outgoingProxy.httpsProxy !== undefined) {
    diagnosis.faults.push(...(await proxyFaults(outgoingProxy, modelUrls)));
    diagnosis.checks.push("outgoing-proxy");
  }
  if (extraCaFile !== undefined) {
    diagnosis.faults.push(...expiredCertificates(extraCaFile, now()));
    diagnosis.checks.push("certificates");
  }
  diagnosis.faults.push(...(await diskFaults(dataDir)));
  diagnosis.checks.push("disk");
  if (databaseUrl !== undefined) {
    diagnosis.faults.push(...(await notificationFaults(databaseUrl, directUrl)));
    diagnosis.checks.push("notifications");
  }
  if (installation.toolServersFile !== undefined) {
    diagnosis.faults.push(...toolServerFaults(installation.toolServersFile));
    diagnosis.checks.push("tool-servers");
  }
  diagnosis.faults.push(...secretFaults(installation));
  diagnosis.checks.push("secrets", "public-url");
  diagnosis.notes.push(...urlFindings(trustProxyAdvice({ publicUrl, trustProxy })));
  if (s3 !== undefined && publicUrl !== undefined) {
    diagnosis.faults.push(...(await corsFaults(s3, new URL(publicUrl).origin)));
    diagnosis.checks.push("cors");
  }
  return diagnosis;
}

function urlFindings(advice: ReturnType<typeof trustProxyAdvice>): CheckedFinding[] {
  if (advice === undefined) return [];
  return [{ check: "public-url", about: advice.about, count: 1, ids: [], remedy: `${advice.remedy}.` }];
}

/** Whether everybody on the internet can chat, which an operator may want. */
async function guestNotes(
  { rows }: Snapshot,
  { anonymous, publicUrl }: Installation,
): Promise<CheckedFinding[]> {
  if (!anonymous || !isOnInternet(publicUrl)) return [];
  const closed = await rows("select guests from auth_settings where guests = 0");
  if (closed.length > 0) return [];
  return [
    {
      check: "open-to-guests",
      about: `everybody who finds ${publicUrl} can chat without an account, at your cost`,
      count: 1,
      ids: [],
      remedy:
        "Close the server to guests in the administration or with PARLANCE_ANONYMOUS=off, or give guests a budget.",
    },
  ];
}

function expiredCertificates(file: string, nowMs: number): CheckedFinding[] {
  return readCertificates(file)
    .filter(({ validTo }) => Date.parse(validTo) < nowMs)
    .map(({ subject, validTo }) => ({
      check: "certificates",
      about: `EXTRA_CA_FILE has a certificate that expired on ${validTo} (${subject.replaceAll("\n", ", ")})`,
      count: 1,
      ids: [],
      remedy: "Replace it by the new certificate of this authority, and restart the server.",
    }));
}

/** Whether the server could start with the operator's tool servers. */
function toolServerFaults(path: string): CheckedFinding[] {
  try {
    readConfiguredServers(path);
    return [];
  } catch (error) {
    const about = error instanceof Error ? error.message : String(error);
    const remedy = "Correct the file, or leave TOOL_SERVERS_FILE out: the server does not start with it.";
    return [{ check: "tool-servers", about, count: 1, ids: [], remedy }];
  }
}

function secretFaults({ guessableSecrets }: Installation): CheckedFinding[] {
  return guessableSecrets.map((name) => ({
    check: "secrets",
    about: `${name} has a secret that others can guess`,
    count: 1,
    ids: [],
    remedy: "Replace it by a random one, such as that of openssl rand -hex 32.",
  }));
}

/** Whether servers on this PostgreSQL receive each other's notifications. */
async function notificationFaults(url: string, directUrl: string | undefined): Promise<CheckedFinding[]> {
  const { checkNotifications } = await import("#storage/database/postgres/pooler.ts");
  const trouble = await checkNotifications(url, directUrl);
  if (trouble === undefined) return [];
  return [{ check: "notifications", about: trouble.about, count: 1, ids: [], remedy: trouble.remedy }];
}

/** Whether the bucket's CORS rules allow uploads from our pages. */
async function corsFaults(location: S3Location, origin: string): Promise<CheckedFinding[]> {
  const trouble = await checkCors(location, origin);
  return trouble === undefined ? [] : [{ check: "cors", count: 1, ids: [], ...trouble }];
}

async function examineDatabase(snapshot: Snapshot, now: () => number, blobs: Blobs): Promise<Diagnosis> {
  const missing = Object.keys(migrations).filter((name) => !snapshot.migrations.includes(name));
  if (missing.length > 0) {
    const fault: CheckedFinding = {
      check: "version",
      about: "the database lacks migrations of this version, so nothing else was checked",
      count: missing.length,
      ids: missing,
      remedy: "Start the server or run cli migrate, then run cli doctor again.",
    };
    return { checks: ["version"], faults: [fault], notes: [] };
  }
  const nowMs = now();
  const diagnosis = await examine({ engine: snapshot.engine, nowMs, rows: snapshot.rows });
  diagnosis.checks.unshift("version");
  diagnosis.checks.push("files");
  diagnosis.faults.push(...(await bytesFaults({ rows: snapshot.rows, nowMs }, blobs)));
  diagnosis.notes.push(...(await bytesNotes(nowMs, blobs)));
  if (snapshot.engine === "postgres") {
    // Not `now()`, which is the start of the transaction.
    const [row] = await snapshot.rows("select extract(epoch from clock_timestamp()) * 1000 as ms");
    const apartMs = Math.abs(Number(row?.ms) - now());
    if (apartMs > clockDifferenceMaxMs)
      diagnosis.faults.push({
        check: "clock",
        about: `the clocks of the database and of this machine differ by ${Math.round(apartMs / 1000)} seconds`,
        count: 1,
        ids: [],
        remedy: "Synchronise both with NTP: leases depend on them.",
      });
  }
  return diagnosis;
}

/** 5 s: a third of a lease. */
const clockDifferenceMaxMs = 5_000;
/** 512 MiB; on a disk below 10 GiB a twentieth of it is enough. */
const diskFreeMinBytes = 512 * 1024 * 1024;

async function diskFaults(dataDir: string): Promise<CheckedFinding[]> {
  const disk = await diskOf(dataDir);
  if (disk === undefined || disk.freeBytes >= Math.min(diskFreeMinBytes, disk.totalBytes / 20)) return [];
  return [
    {
      check: "disk",
      about: `only ${Math.floor(disk.freeBytes / 1024 / 1024)} MiB are free on the disk of ${dataDir}`,
      count: 1,
      ids: [],
      remedy: "Free some space: answers cannot be stored on a full disk.",
    },
  ];
}

/** The disk of a folder; `undefined` if the folder does not exist. */
export async function diskOf(folder: string): Promise<{ freeBytes: number; totalBytes: number } | undefined> {
  const disk = await statfs(folder).catch(() => undefined);
  if (disk === undefined) return undefined;
  return { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}
