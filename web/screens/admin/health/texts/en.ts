export const texts = {
  "health.loading": "Loading the server’s health",
  "health.failed": "Couldn’t load the server’s health",
  "health.both": "{one} · {two}",
  "health.version": "Version",
  "health.running": "Running since",
  "health.memory": "Memory",
  "health.database": "Database",
  "health.files": "Files",
  "health.filesOnDisk": {
    one: "{count} file on this disk · {size}",
    other: "{count} files on this disk · {size}",
  },
  "health.filesInBucket": {
    one: "{count} file in the bucket · {size}",
    other: "{count} files in the bucket · {size}",
  },
  "health.disk": "Disk",
  "health.free": "{free} free of {total}",
  "health.people": "People",
  "health.threads": "Chats",
  "health.checkTitle": "Check everything",
  "health.checkWhat":
    "Reads all rows and lists all files, and changes nothing. On a large server it takes minutes. The command “doctor” does the same, and can repair.",
  "health.check": "Check now",
  "health.checking": "Checking…",
  "health.fine": {
    one: "No problems found by {count} check.",
    other: "No problems found by {count} checks.",
  },
  "health.faults": { one: "{count} problem found.", other: "{count} problems found." },
  "health.which": "Which ones",
} as const;
