// The whole site is cached once Python is requested, so that it works without a network; a new site has a new cache.
const KEPT = "certify-{{ version }}", NAMES = {{ names | tojson }};
self.addEventListener("install", event => event.waitUntil(caches.open(KEPT).then(kept => kept.addAll(NAMES)).then(() => self.skipWaiting())));
self.addEventListener("activate", event => event.waitUntil(caches.keys()
  .then(found => Promise.all(found.filter(name => name.startsWith("certify-") && name !== KEPT).map(name => caches.delete(name))))
  .then(() => self.clients.claim())));
self.addEventListener("fetch", event => {
  if (event.request.method !== "GET") { return; }
  event.respondWith(caches.open(KEPT).then(kept => kept.match(event.request, { ignoreSearch: true })).then(found => found ?? fetch(event.request)));
});
