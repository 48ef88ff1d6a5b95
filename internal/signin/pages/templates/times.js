// The server does not know the time zone of its user; the browser does. Without the script, times and days are in UTC.
const words = (at) => new Date(at).toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" }).replace(",", "")
const near = { [words(Date.now())]: "Today", [words(Date.now() - 864e5)]: "Yesterday" }
for (const time of document.querySelectorAll("time")) time.title = new Date(time.dateTime).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" })
let last
for (const day of document.querySelectorAll("h3.day")) {
  const at = words(day.parentNode.querySelector("time").dateTime)
  day.textContent = near[at] ?? at
  day.hidden = at === last
  last = at
}
