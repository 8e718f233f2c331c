// The script of the frame in which a program of an answer runs (`server/http/pages/sandbox-frame.ts`). The page sends it a document
// once, with a port. Through the port it receives what the program prints, and the answers that show that the program has
// not stopped the frame. The program itself cannot reach the port.
(() => {
  // Without it, the program could reach the port through the function that writes it.
  "use strict";

  const entryMax = 100;
  const lengthMax = 2_000;
  const batchMs = 100;
  // Smaller buffers are counted together, when they have this size. Not counted: copies by structuredClone, pictures, and
  // memory of WebAssembly into which only its own code looks.
  const countedBytes = 4_096;
  const bufferBytesMax = 2 ** 31;
  const typedArrays = ["Int", "Uint", "Float", "BigInt", "BigUint"].flatMap((kind) =>
    [8, 16, 32, 64].map((bits) => `${kind}${bits}Array`),
  );
  const page = globalThis.parent;

  addEventListener("message", (event) => {
    const [port] = event.ports;
    if (event.source !== page || port === undefined) return;
    // In another task, because the program could find the port in `window.event`.
    if (event.data.busyMs === undefined) setTimeout(run, 0, event.data, port);
    else port.postMessage(beBusy(event.data.busyMs));
  });

  /** For the page, which finds out whether it has turns in the meantime (`web/panel/program/guard/shares-thread.ts`). */
  function beBusy(forMs) {
    const from = Date.now();
    let to = from;
    while (to - from < forMs) to = Date.now();
    return { from, to };
  }

  /** `guard`: the script that adds checks to the program's loops (`web/panel/program/guard/guard-runtime.ts`). */
  function run({ source, guard }, port) {
    keepFromConnecting();
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

    const bufferBytes = countBuffers();
    port.addEventListener("message", () => send({ type: "alive", bufferBytes: bufferBytes() }));
    port.start();
    for (const level of ["debug", "log", "info", "warn", "error"])
      globalThis.console[level] = (...values) => print(level, values.map(textOf).join(" "));
    if (guard !== undefined) source = guardedBy(guard, () => send({ type: "blocked" }))(source);
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
    document.write(source.replace(/shadowrootmode/gi, "data-mode"));
    document.close();
  }

  function guardedBy(guard, onBlocked) {
    // oxlint-disable-next-line eslint/no-eval -- a script of the app, which the frame without a network cannot load
    (0, eval)(guard);
    return globalThis.guardLoops(onBlocked);
  }

  /**
   * Counts the memory of buffers, which no limit of the browser holds for a single page: its limit for other values is a few
   * gigabytes. Above a limit of our own, as without memory, no buffer can be made until the page has stopped the program.
   */
  function countBuffers() {
    let countedSum = 0;
    let smallSum = 0;
    const { construct, apply } = Reflect;
    const sizes = new WeakMap();
    const sizeOf = sizes.get.bind(sizes);
    const setSize = sizes.set.bind(sizes);
    const removals = new FinalizationRegistry((bytes) => (countedSum -= bytes));
    const register = removals.register.bind(removals);
    const unregister = removals.unregister.bind(removals);
    const RangeErrorOfBrowser = RangeError;

    function count(buffer) {
      if (sizeOf(buffer) !== undefined) return;
      let bytes = buffer.byteLength;
      if (bytes < countedBytes) {
        smallSum += bytes;
        if (smallSum < countedBytes) return;
        bytes = smallSum;
        smallSum = 0;
      }
      setSize(buffer, bytes);
      register(buffer, bytes, buffer);
      countedSum += bytes;
    }
    function countAgain(before, after) {
      if (unregister(before)) countedSum -= sizeOf(before);
      setSize(before, undefined);
      count(after);
    }
    function refuseAboveMax() {
      if (countedSum > bufferBytesMax) throw new RangeErrorOfBrowser("Array buffer allocation failed");
    }

    const handler = {
      construct(target, values, newTarget) {
        refuseAboveMax();
        const made = construct(target, values, newTarget);
        count(made.buffer ?? made);
        return made;
      },
    };
    for (const name of ["ArrayBuffer", "Uint8ClampedArray", ...typedArrays]) {
      if (globalThis[name] === undefined) continue;
      globalThis[name] = new Proxy(globalThis[name], handler);
      globalThis[name].prototype.constructor = globalThis[name];
    }
    const { prototype } = ArrayBuffer;
    for (const name of ["resize", "transfer", "transferToFixedLength"]) {
      const change = prototype[name];
      if (change === undefined) continue;
      prototype[name] = function (...values) {
        refuseAboveMax();
        const made = apply(change, this, values);
        countAgain(this, made ?? this);
        return made;
      };
    }

    // Code of WebAssembly grows its memory without a call that could be seen here. So a memory is known once the program has
    // looked into it, and is measured by its own size instead of the buffers that it had.
    const memories = new Set();
    const known = new WeakSet();
    const Reference = WeakRef;
    const Memory = globalThis.WebAssembly?.Memory.prototype ?? {};
    const bufferOf = Object.getOwnPropertyDescriptor(Memory, "buffer")?.get;
    Object.defineProperty(Memory, "buffer", {
      configurable: true,
      enumerable: true,
      get() {
        const buffer = apply(bufferOf, this, []);
        setSize(buffer, 0);
        if (!known.has(this)) memories.add(new Reference(this));
        known.add(this);
        return buffer;
      },
    });
    return () => {
      let sum = countedSum;
      for (const reference of memories) {
        const memory = reference.deref();
        if (memory === undefined) memories.delete(reference);
        else sum += apply(bufferOf, memory, []).byteLength;
      }
      return sum;
    };
  }

  /**
   * A browser that does not know `Connection-Allowlist` lets a program connect by WebRTC (decision 0035). So WebRTC is removed
   * here, and a frame, whose scripts would have it again, is removed before the task that added it ends. Shadow trees are
   * watched too, so none may come into being unseen: by copying another one, or from HTML. The program can change every
   * function that it reaches, so only those are called here that were bound before it began.
   */
  function keepFromConnecting() {
    for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];
    const bound = (method) => Function.prototype.call.bind(method);
    const remove = bound(Element.prototype.remove);
    const forEach = bound(NodeList.prototype.forEach);
    const observe = bound(MutationObserver.prototype.observe);
    const attachShadow = bound(Element.prototype.attachShadow);
    const exec = bound(RegExp.prototype.exec);
    const write = bound(Document.prototype.write);
    const Observer = MutationObserver;
    const frames = "iframe, frame, object, embed, fencedframe, portal";
    // Without a prototype, to which the program could add options.
    const changes = { __proto__: null, childList: true, subtree: true };

    function keepFramesOut(tree, find) {
      observe(new Observer(() => forEach(find(tree, frames), (frame) => remove(frame))), tree, changes);
    }
    keepFramesOut(document, bound(Document.prototype.querySelectorAll));

    const findInShadow = bound(DocumentFragment.prototype.querySelectorAll);
    Element.prototype.attachShadow = function (options) {
      const root = attachShadow(this, { ...options, clonable: false });
      keepFramesOut(root, findInShadow);
      return root;
    };
    // The functions, also those of later browsers, that make shadow trees from HTML: `setHTML`, `parseHTMLUnsafe` and so on.
    const parsing = /(?<!^inner|^outer|^get|^insertAdjacent)HTML(Unsafe)?$/;
    for (const { prototype } of [Document, DocumentFragment, ShadowRoot, Element, CharacterData])
      for (const owner of [prototype, prototype.constructor])
        for (const name of Object.getOwnPropertyNames(owner)) if (parsing.test(name)) delete owner[name];
    // A comment ends the tag of an attribute that could become `shadowrootmode` with what is written or parsed next.
    const shadowMode = /shadowrootmode/i;
    const beginOfMode = /\bs[a-z]*$/i;
    for (const [name, end] of Object.entries({ write: "", writeln: "\n" }))
      Document.prototype[name] = function (...texts) {
        let html = "";
        for (let i = 0; i < texts.length; i++) html += `${texts[i]}`;
        if (exec(shadowMode, html) !== null) throw new TypeError("A program cannot write a shadow root");
        write(this, html + (exec(beginOfMode, html) === null ? "" : "<!---->") + end);
      };

    const host = document.createElement("div");
    host.attachShadow({ mode: "open", clonable: true });
    if (host.cloneNode().shadowRoot !== null)
      throw new Error("No program runs where shadow trees are copied");
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
