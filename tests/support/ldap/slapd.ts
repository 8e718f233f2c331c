import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "ldapts";

/** Why the tests that need OpenLDAP are skipped; `undefined` if it is there. */
export const slapdMissing = existsSync("/usr/sbin/slapd")
  ? undefined
  : "slapd is not installed: apt-get install --no-install-recommends slapd";

export const base = "dc=example,dc=com";
export const bindDn = `cn=reader,${base}`;
export const bindPassword = "a secret of the reader";

/** A real OpenLDAP server, whose certificate is in `certificate`. */
export type Slapd = Awaited<ReturnType<typeof startSlapd>>;

const startTimeoutMs = 20_000;

export async function startSlapd() {
  const folder = await mkdtemp(join(tmpdir(), "parlance-slapd-"));
  const [port, tlsPort] = [await freePort(), await freePort()];
  await mkdir(join(folder, "db"));
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost,IP:127.0.0.1",
      "-keyout",
      join(folder, "key.pem"),
      "-out",
      join(folder, "cert.pem"),
    ],
    { stdio: "ignore" },
  );
  const conf = join(folder, "slapd.conf");
  await writeFile(conf, configuration(folder));
  const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${tlsPort}/`;
  const child = spawn("/usr/sbin/slapd", ["-f", conf, "-h", urls, "-d", "0"], { stdio: "ignore" });
  const root = `cn=root,${base}`;

  /** Runs `work` with all rights. */
  async function change(work: (client: Client) => Promise<unknown>): Promise<void> {
    const client = new Client({ url: `ldap://127.0.0.1:${port}` });
    try {
      await client.bind(root, "root");
      await work(client);
    } finally {
      await client.unbind();
    }
  }

  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    try {
      await change(async () => {});
      break;
    } catch (error) {
      if (Date.now() > deadline || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  await change(async (client) => {
    await client.add(base, { objectClass: ["dcObject", "organization"], dc: "example", o: "Example" });
    for (const ou of ["people", "groups", "elsewhere"])
      await client.add(`ou=${ou},${base}`, { objectClass: "organizationalUnit", ou });
    await client.add(bindDn, {
      objectClass: ["organizationalRole", "simpleSecurityObject"],
      cn: "reader",
      userPassword: bindPassword,
    });
  });

  return {
    url: `ldap://localhost:${port}`,
    tlsUrl: `ldaps://localhost:${tlsPort}`,
    certificate: await readFile(join(folder, "cert.pem"), "utf8"),
    change,
    /** Adds somebody, whose password is their user name and ` password`. Returns the DN. */
    async addPerson(
      uid: string,
      facts: { mail?: string; ou?: string; initials?: string } = {},
    ): Promise<string> {
      const dn = `uid=${uid},ou=${facts.ou ?? "people"},${base}`;
      const mail = facts.mail ?? `${uid}@corp.example`;
      const { initials } = facts;
      const names = {
        uid,
        cn: `Person ${uid}`,
        sn: uid,
        mail,
        ...(initials === undefined ? {} : { initials }),
      };
      await change(async (client) =>
        client.add(dn, { objectClass: "inetOrgPerson", ...names, userPassword: `${uid} password` }),
      );
      return dn;
    },
    addGroup: async (cn: string, members: string[]): Promise<void> =>
      await change(async (client) =>
        client.add(`cn=${cn},ou=groups,${base}`, { objectClass: "groupOfNames", cn, member: members }),
      ),
    async close(): Promise<void> {
      if (child.exitCode === null) {
        child.kill();
        await once(child, "exit");
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `bind_anon_dn` accepts a DN with an empty password, as Active Directory does. */
function configuration(folder: string): string {
  return `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
allow bind_anon_dn
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
database mdb
suffix "${base}"
rootdn "cn=root,${base}"
rootpw root
directory ${folder}/db
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by users read by * none
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
