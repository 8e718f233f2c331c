// The script of the frame in which a program of an answer runs (`server/http/program-frame.ts`). The page sends it a document
// once, with a port. Through the port it receives what the program prints, and the answers that show that the program has
// not stopped the frame. The program itself cannot reach the port.
(() => {
  const entryMax = 100;
  const lengthMax = 2_000;
  const batchMs = 100;
  const page = globalThis.parent;

  addEventListener("message", (event) => {
    if (event.source === page && event.ports[0] !== undefined) run(event.data, event.ports[0]);
  });

  function run(source, port) {
    const send = port.postMessage.bind(port);
    const later = globalThis.setTimeout.bind(globalThis);
    const entries = [];
    let skipped = 0;
    let isScheduled = false;

    function print(level, text) {
      if (entries.length < entryMax) entries.push({ level, text: text.slice(0, lengthMax) });
      else skipped += 1;
      if (isScheduled) return;
      isScheduled = true;
      later(() => {
        isScheduled = false;
        send({ type: "entries", entries: entries.splice(0), skipped });
        skipped = 0;
      }, batchMs);
    }

    port.addEventListener("message", () => send({ type: "alive" }));
    port.start();
    for (const level of ["debug", "log", "info", "warn", "error"])
      globalThis.console[level] = (...values) => print(level, values.map(textOf).join(" "));
    // Without a network, nothing works that connects. This one is not covered by the policy in every browser.
    for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];
    send({ type: "alive" });
    document.open();
    // Opening the document has removed all listeners.
    addEventListener("error", (event) => {
      const place = event.lineno > 0 ? ` (line ${event.lineno} of its script)` : "";
      if (event.message) print("error", event.message + place);
    });
    addEventListener("unhandledrejection", (event) => print("error", `Unhandled: ${textOf(event.reason)}`));
    addEventListener("securitypolicyviolation", (event) =>
      print("error", `Blocked without a network: ${event.blockedURI}`),
    );
    document.write(source);
    document.close();
  }

  function textOf(value) {
    try {
      if (value instanceof Error) return String(value.stack ?? value);
      if (typeof value === "object" && value !== null) return JSON.stringify(value) ?? String(value);
      return String(value);
    } catch {
      return "…";
    }
  }
})();
