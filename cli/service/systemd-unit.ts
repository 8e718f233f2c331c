/** A server that systemd starts. Paths are absolute. */
export type Service = {
  user: string;
  /** Starts the server: the program and its arguments. */
  command: string[];
  dataDir: string;
  /** The folder of the clone, which a start may install packages into and build; undefined for the package. */
  clone: string | undefined;
};

const stateFolder = "/var/lib/";
const homes = ["/home/", "/root/", "/run/user/"];

/** The unit of a service, with the least that the server needs: `man systemd.exec` describes each line. */
export function systemdUnit({ user, command, dataDir, clone }: Service): string {
  const isState = clone === undefined && new RegExp(`^${stateFolder}[^/]+$`).test(dataDir);
  const written = [...(isState ? [] : [dataDir]), ...(clone === undefined ? [] : [clone])];
  const isInHome = [...command, ...written].some((path) => homes.some((home) => path.startsWith(home)));
  const line = clone === undefined ? [...command, "--data-dir", dataDir] : command;
  return `# Made by "service install", which replaces it. Change it with: systemctl edit parlance
[Unit]
Description=Parlance, a chat assistant
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
User=${user}
WorkingDirectory=${escapePercent(clone ?? (isState ? dataDir : "/"))}
ExecStart=${line.map(quoted).join(" ")}
Restart=on-failure
RestartSec=2
# The server tells its own processes when to stop.
KillMode=mixed
UMask=0077
${isState ? `StateDirectory=${dataDir.slice(stateFolder.length)}\nStateDirectoryMode=0700\n` : ""}${
    clone === undefined ? "CacheDirectory=parlance\nEnvironment=NODE_COMPILE_CACHE=/var/cache/parlance\n" : ""
  }${written.length === 0 ? "" : `ReadWritePaths=${written.map(quotedPath).join(" ")}\n`}
CapabilityBoundingSet=
LockPersonality=yes
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=${isInHome ? "read-only" : "yes"}
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
# AF_NETLINK lists the addresses of this machine.
RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service
SystemCallFilter=~@privileged

[Install]
WantedBy=multi-user.target
`;
}

/** In units, % begins a specifier. */
const escapePercent = (text: string): string => text.replaceAll("%", "%%");

/** One word of a list. */
const quotedPath = (path: string): string => `"${escapePercent(path).replaceAll(/["\\]/g, "\\$&")}"`;

/** One word of a command, in which $ begins a variable. */
const quoted = (word: string): string => quotedPath(word).replaceAll("$", "$$$$");
