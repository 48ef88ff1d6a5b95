// The server does not know the time zone of its user; the browser does. Without the script, times are in UTC.
for (const time of document.querySelectorAll("time")) {
  const hour = time.textContent.includes(":") ? { hour: "2-digit", minute: "2-digit", hour12: false } : {}
  time.textContent = new Date(time.dateTime).toLocaleString("en-GB", { day: "numeric", month: "long", year: "numeric", ...hour }).replace(" at ", ", ")
}
