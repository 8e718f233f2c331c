/** Ways for a program to send packets by WebRTC: each is a script, or a document if it begins with `<`. */
const attempts: Record<string, string> = {
  "the frame itself": `connect(window)`,
  "the older name": `connect({ RTCPeerConnection: window.webkitRTCPeerConnection })`,
  "a frame in the document": `<!doctype html><body>$FRAME`,
  "a frame without an address": `const f = document.createElement("iframe"); document.body.append(f); connect(f.contentWindow)`,
  "a frame by insertAdjacentHTML": `document.body.insertAdjacentHTML("beforeend", frame)`,
  "a frame by innerHTML": `document.body.innerHTML = frame`,
  "a frame by outerHTML": `const p = document.createElement("p"); document.body.append(p); p.outerHTML = frame`,
  "a frame by a range": `document.body.append(document.createRange().createContextualFragment(frame))`,
  "a frame by DOMParser": `document.body.append(...new DOMParser().parseFromString(frame, "text/html").body.children)`,
  "a frame by DOMParser of XML": `document.body.append(new DOMParser().parseFromString(frame.replace("<iframe", "<iframe xmlns='http://www.w3.org/1999/xhtml'").replace(/srcdoc="([^]*)"/, (_, html) => "srcdoc='" + html.replace(/[<&]/g, (c) => "&#" + c.charCodeAt(0) + ";").replaceAll("'", "&#39;") + "'"), "text/xml").documentElement)`,
  "a frame in a template": `const t = document.createElement("template"); t.innerHTML = frame; document.body.append(t.content)`,
  "a frame by execCommand": `document.designMode = "on"; document.body.focus(); getSelection().selectAllChildren(document.body); document.execCommand("insertHTML", false, frame)`,
  "a frame of another document": `const d = document.implementation.createHTMLDocument(""); d.body.innerHTML = frame; document.body.append(document.adoptNode(d.body.firstChild))`,
  "a frame in a new document": `document.open(); document.write("<body>" + frame); document.close()`,
  "a frame after a new document": `addEventListener("load", () => { document.open(); document.write("<body>"); document.close(); document.body.innerHTML = frame })`,
  "a frame in a document of a script's address": `globalThis.html = frame; setTimeout(() => { location = "javascript:html" })`,
  "a frame with a script's address": `const f = document.createElement("iframe"); f.src = "javascript:" + encodeURIComponent(code); document.body.append(f)`,
  "a link with a script's address to a frame": `document.body.innerHTML = '<iframe name="n"></iframe><a target="n">a</a>'; const a = document.querySelector("a"); a.href = "javascript:" + encodeURIComponent(code); a.click()`,
  "a frame with a blob": `const f = document.createElement("iframe"); f.src = URL.createObjectURL(new Blob([page], { type: "text/html" })); document.body.append(f)`,
  "a frame with data": `const f = document.createElement("iframe"); f.src = "data:text/html," + encodeURIComponent(page); document.body.append(f)`,
  "an object": `const f = document.createElement("object"); f.data = "data:text/html," + encodeURIComponent(page); document.body.append(f)`,
  "an object with a script's address": `const f = document.createElement("object"); f.data = "javascript:" + encodeURIComponent(code); f.type = "text/html"; document.body.append(f)`,
  "an embed": `const f = document.createElement("embed"); f.type = "text/html"; f.src = "javascript:" + encodeURIComponent(code); document.body.append(f)`,
  "a frameset": `const s = document.createElement("frameset"); const f = document.createElement("frame"); f.src = "javascript:" + encodeURIComponent(code); s.append(f); document.body.replaceWith(s)`,
  "a portal and a fenced frame": `for (const name of ["portal", "fencedframe"]) { const f = document.createElement(name); f.src = "data:text/html," + encodeURIComponent(page); document.body.append(f); if (window.FencedFrameConfig) f.config = new FencedFrameConfig(f.src) }`,
  "another window": `const w = open("about:blank"); w.document.write(page); connect(w)`,
  "a blob instead of the document": `location = URL.createObjectURL(new Blob([page], { type: "text/html" }))`,
  "a worker": `new Worker(URL.createObjectURL(new Blob(["const connect = " + connect + "; connect(self)"])))`,
  "a frame that is moved": `document.body.innerHTML = frame + "<p>"; document.querySelector("p").moveBefore(document.querySelector("iframe"), null)`,
  "a frame in a foreign object": `document.body.innerHTML = "<svg><foreignObject id='a'>" + frame + "</foreignObject><use href='#a'/></svg>"`,
  "a frame that a list shows": `document.body.innerHTML = "<style>select, ::picker(select) { appearance: base-select }</style><select><button><selectedcontent></selectedcontent></button><option selected></option></select>"; document.querySelector("option").innerHTML = frame; document.querySelector("select").selectedIndex = 0`,
  "a frame before a busy script": `document.body.innerHTML = frame; for (const end = Date.now() + 1500; Date.now() < end; );`,
  "a frame that returns when it is removed": `customElements.define("x-a", class extends HTMLElement { disconnectedCallback() { if (window.again === undefined) { window.again = true; document.body.append(this) } } }); document.body.innerHTML = "<x-a>" + frame + "</x-a>"; document.querySelector("x-a").remove()`,

  "a frame in a shadow tree": `shadow({ mode: "closed" }).innerHTML = frame`,
  "a frame in a shadow tree in another one": `const h = document.createElement("p"); shadow({ mode: "open" }).append(h); h.attachShadow({ mode: "open" }).innerHTML = frame`,
  "a copied shadow tree": `const root = shadow({ mode: "open", clonable: true }); root.innerHTML = frame; document.body.append(root.host.cloneNode(true))`,
  "a frame in a copied shadow tree": `const copy = shadow({ mode: "open", clonable: true }).host.cloneNode(); document.body.append(copy); copy.shadowRoot.innerHTML = frame`,
  "an imported shadow tree": `const root = shadow({ mode: "open", clonable: true }); root.innerHTML = frame; document.body.append(document.importNode(root.host, true))`,
  "an adopted shadow tree": `const d = document.implementation.createHTMLDocument(""); const h = d.createElement("p"); h.attachShadow({ mode: "open", clonable: true }).innerHTML = frame; document.body.append(document.adoptNode(h))`,
  "a shadow tree copied with a range": `const root = shadow({ mode: "open", clonable: true }); root.innerHTML = frame; const r = document.createRange(); r.selectNode(root.host); document.body.append(r.cloneContents())`,
  "a copied shadow tree with an option of a prototype": `Object.prototype.clonable = true; const root = shadow({ mode: "open" }); root.innerHTML = frame; document.body.append(root.host.cloneNode(true))`,
  "a copied shadow tree with an option that changes": `let reads = 0; const root = shadow({ mode: "open", get clonable() { return reads++ > 0 } }); root.innerHTML = frame; document.body.append(root.host.cloneNode(true))`,
  "a shadow tree of a custom element": `customElements.define("x-a", class extends HTMLElement { constructor() { super(); this.internals = this.attachInternals(); this.attachShadow({ mode: "closed", clonable: true }); this.internals.shadowRoot.innerHTML = frame } }); const a = document.createElement("x-a"); document.body.append(a, a.cloneNode(true))`,
  "a shadow tree in the document": `<!doctype html><body><p><template shadowrootmode="closed">$FRAME</template></p>`,
  "a shadow tree in the document that can be copied": `<!doctype html><body><p><template shadowrootmode="open" shadowrootclonable>$FRAME</template></p><script>document.body.append(document.querySelector("p").cloneNode(true))</script>`,
  "a shadow tree by innerHTML": `document.body.innerHTML = declared`,
  "a shadow tree by setHTMLUnsafe": `document.body.setHTMLUnsafe(declared)`,
  "a shadow tree by setHTMLUnsafe of a shadow tree": `shadow({ mode: "open" }).setHTMLUnsafe(declared)`,
  "a shadow tree by setHTML": `document.body.setHTML(declaredEmpty, { sanitizer: {} }); document.body.append(document.querySelector("p").cloneNode(true)); for (const p of document.querySelectorAll("p")) p.shadowRoot.innerHTML = frame`,
  "a shadow tree by parseHTMLUnsafe": `document.body.append(...Document.parseHTMLUnsafe(declared).body.children)`,
  "a shadow tree by parseHTML": `document.body.append(...Document.parseHTML(declaredEmpty, { sanitizer: {} }).body.children); document.querySelector("p").shadowRoot.innerHTML = frame`,
  "a shadow tree by streams": `for (const name of ["streamHTMLUnsafe", "streamHTML", "streamAppendHTMLUnsafe"]) if (document.body[name]) { const w = document.body[name]({}).getWriter(); w.write(declared); w.close() }; for (const name of ["appendHTMLUnsafe", "prependHTMLUnsafe", "replaceWithHTMLUnsafe"]) document.body[name]?.(declared)`,
  "a shadow tree by DOMParser": `document.body.append(...new DOMParser().parseFromString(declared, "text/html", { includeShadowRoots: true }).body.children)`,
  "a shadow tree by write": `document.write(declared)`,
  "a shadow tree by writeln": `document.writeln(declared)`,
  "a shadow tree by write in two arguments": `document.write(declared.slice(0, 20), declared.slice(20))`,
  "a shadow tree by write in pieces": `document.write(declared.slice(0, 20)); document.write(declared.slice(20))`,
  "a shadow tree by write in letters": `for (const letter of declared) document.write(letter)`,
  "a shadow tree by write and the document": `<!doctype html><body><p><script>document.write("<template s")</script>hadowrootmode="closed">$FRAME</template></p>`,
  "a shadow tree by write after a quote": `document.write("<p><template a='>"); document.write("'Shadow"); document.write("ROOTmode=closed>" + frame + "</template>")`,
  "a shadow tree by write of an object": `let reads = 0; document.write({ toString: () => (reads++ === 0 ? "" : declared), valueOf: () => declared }, { toString: () => "<p>" })`,
  "a shadow tree in a new document": `document.open(); document.write("<body><p><template shadow"); document.write("rootmode=open>" + frame + "</template>"); document.close()`,
  "a shadow tree in another document": `const d = document.implementation.createHTMLDocument(""); d.open(); d.write(declared.slice(0, 20)); d.write(declared.slice(20)); d.close(); document.body.append(d.querySelector("p"))`,
  "a shadow tree by XSLT": `const el = (name, attributes, ...children) => { const e = document.createElementNS("http://www.w3.org/1999/XSL/Transform", name); for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v); e.append(...children); return e }; const sheet = el("stylesheet", { version: "1.0" }, el("output", { method: "html" }), el("template", { match: "/" }, el("element", { name: "p" }, el("element", { name: "template" }, el("attribute", { name: "shadowrootmode" }, "open"), el("element", { name: "iframe" }, el("attribute", { name: "srcdoc" }, page)))))); const x = new XSLTProcessor(); const d = new DOMParser().parseFromString("<a/>", "text/xml"), s = d.implementation.createDocument("", ""); s.append(sheet); x.importStylesheet(s); document.body.append(x.transformToFragment(d, document)); document.body.append(x.transformToDocument(d).querySelector("p"))`,

  "changed functions of arrays": `Array.prototype.join = () => declared; Array.prototype[Symbol.iterator] = function* () { yield declared }; document.write("")`,
  "a changed iterator of arrays": `Array.prototype[Symbol.iterator] = () => ({ next: () => ({ done: true }) }); const h = document.createElement("p"); document.body.append(h); try { h.attachShadow({ mode: "open" }) } catch {} h.shadowRoot.innerHTML = frame`,
  "a broken iterator of arrays": `Array.prototype[Symbol.iterator] = () => { throw 1 }; const h = document.createElement("p"); document.body.append(h); try { h.attachShadow({ mode: "open" }) } catch {} h.shadowRoot.innerHTML = frame`,
  "changed functions of texts": `String.prototype.replace = String.prototype.replaceAll = function () { return this }; String.prototype.slice = () => ""; document.write(declared)`,
  "changed functions of patterns": `RegExp.prototype.exec = () => null; RegExp.prototype.test = () => false; RegExp.prototype[Symbol.replace] = (text) => text; document.write(declared)`,
  "changed functions of functions": `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => {}; Reflect.apply = () => {}; shadow({ mode: "open" }).innerHTML = frame; document.body.append(...new DOMParser().parseFromString(frame, "text/html").body.childNodes)`,
  "changed functions of trees": `Element.prototype.remove = () => {}; Document.prototype.querySelectorAll = DocumentFragment.prototype.querySelectorAll = () => []; NodeList.prototype.forEach = () => {}; MutationObserver.prototype.observe = () => {}; MutationObserver.prototype.disconnect = () => {}; globalThis.MutationObserver = class {}; shadow({ mode: "open" }).innerHTML = frame; document.body.append(...new DOMParser().parseFromString(frame, "text/html").body.childNodes)`,
  "options of observers on a prototype": `Object.prototype.attributeFilter = 5; Object.prototype.characterDataOldValue = true; Object.prototype.characterData = false; const h = document.createElement("p"); document.body.append(h); try { h.attachShadow({ mode: "open" }) } catch {} h.shadowRoot.innerHTML = frame`,
  "a shadow tree at the end of the stack": `const at = (depth, act) => (depth === 0 ? act() : at(depth - 1, act)); let depth = 0; try { (function count() { depth += 1; count() })() } catch {} for (let k = 0; k < 400; k++) { const h = document.createElement("p"); document.body.append(h); try { at(depth + 200 - k * 2, () => h.attachShadow({ mode: "open" })); continue } catch {} if (h.shadowRoot) h.shadowRoot.innerHTML = frame }`,
  "a host that is no element": `const h = document.createElement("p"); document.body.append(h); try { Element.prototype.attachShadow.call(new Proxy(h, {}), { mode: "open" }) } catch {} Reflect.apply(Element.prototype.attachShadow, h, [{ mode: "open" }]).innerHTML = frame`,
};

/** The document of a program per way, for the address of a server. */
export const waysToConnect: Record<string, (stun: string) => string> = Object.fromEntries(
  Object.entries(attempts).map(([name, attempt]) => [name, (stun) => programOf(attempt, stun)]),
);

function programOf(attempt: string, stun: string): string {
  const connect = `(w) => { const c = new w.RTCPeerConnection({ iceServers: [{ urls: '${stun}' }] }); c.createDataChannel('a'); c.createOffer().then((o) => c.setLocalDescription(o)); (self.kept ??= []).push(c) }`;
  const code = `const connect = ${connect}; connect(window)`;
  const page = `<script>${code}</script>`;
  const frame = `<iframe srcdoc="${page}"></iframe>`;
  const empty = `<p><template shadowrootmode="open" shadowrootclonable></template></p>`;
  const declared = empty.replace("</template>", `${frame}$&`);
  const texts = Object.entries({ code, page, frame, declared, declaredEmpty: empty })
    .map(
      ([name, text]) =>
        `${name} = ${JSON.stringify(text).replaceAll("</", "<\\/").replaceAll("shadowroot", `shadow" + "root`)}`,
    )
    .join(", ");
  const shadow = `(options) => { const host = document.createElement("p"); document.body.append(host); return host.attachShadow(options) }`;

  if (attempt.startsWith("<")) return attempt.replace("$FRAME", () => frame);
  return `<!doctype html><body><script>const connect = ${connect}, shadow = ${shadow}, ${texts}</script><script>${attempt}</script>`;
}
